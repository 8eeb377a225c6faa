-- The requests of one workload, read from a file of lengths and messages, sent in turn.
local messages, place = {}, 0

function init(arguments)
  local file = assert(io.open(arguments[1], "rb"))
  local length = file:read("*n")
  while length do
    file:read(1)
    messages[#messages + 1] = file:read(length)
    length = file:read("*n")
  end
  file:close()
end

function request()
  place = place % #messages + 1
  return messages[place]
end

function done(summary)
  local errors = summary.errors
  local failed = errors.status + errors.timeout + errors.read + errors.write + errors.connect
  print(string.format('\n{"requests": %d, "seconds": %f, "failed": %d}', summary.requests, summary.duration / 1e6, failed))
end
