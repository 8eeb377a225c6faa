// The forms of an API's page: send what is filled in, show what comes back.
const token = document.querySelector("#token");
token.value = sessionStorage.getItem("token") ?? "";
token.addEventListener("input", () => sessionStorage.setItem("token", token.value));

for (const form of document.querySelectorAll("form[data-path]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const status = form.querySelector(".status");
    const shown = form.querySelector("pre");
    status.textContent = "…";
    try {
      const reply = await fetch(address(form), request(form));
      status.textContent = `${reply.status} ${reply.statusText}`;
      shown.textContent = pretty(await reply.text());
    } catch (error) {
      status.textContent = String(error);
    }
    shown.hidden = !shown.textContent;
  });
}

function address(form) {
  const query = new URLSearchParams();
  let path = form.dataset.path;
  for (const input of form.querySelectorAll("input[data-in]")) {
    if (input.dataset.in === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    else if (input.value) query.append(input.name, input.value);
  }
  return document.body.dataset.root + path + (query.size ? `?${query}` : "");
}

function request(form) {
  const headers = token.value ? { Authorization: `Bearer ${token.value.trim()}` } : {};
  const body = form.querySelector("textarea")?.value;
  if (body) headers["Content-Type"] = "application/json";
  return { method: form.dataset.method, headers, body };
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
