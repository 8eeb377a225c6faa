"""Cost pages: one self-contained HTML page on which rates can be changed, for people who decide.

The page needs no network and no server. It calculates as `cost_estimate` does, from the units of patterns and writes.
"""

import json
from html import escape
from typing import Any

from tablewright.design.fields.rates import MONTH
from tablewright.planning.cost_estimate import HOURS, Estimate
from tablewright.planning.prices import GB, MILLION, RESERVED_LOT

_STYLE = """
:root { color-scheme: light dark;
  --ink: #1c2430; --paper: #fbfaf7; --line: #d9d4c7; --accent: #9a4f1c; --faint: #5d6675; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e6e1; --paper: #14171c; --line: #3a4150; --accent: #e0935c; --faint: #a3abb8; }
}
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 60rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: .35rem .75rem .35rem 0; text-align: left; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
input { font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 4px;
  padding: .15rem .4rem; width: 9rem; text-align: right; }
input[type=range] { width: 16rem; vertical-align: middle; }
tr.cheapest td { color: var(--accent); font-weight: 600; }
p.note, small { color: var(--faint); }
"""

_SCRIPT = """
const data = JSON.parse(document.getElementById("data").textContent);
const rows = document.getElementById("lines");
const money = (sum) => "$" + sum.toLocaleString("en", {minimumFractionDigits: 2, maximumFractionDigits: 2});
data.lines.forEach((line, number) => {
  const row = rows.insertRow();
  row.insertCell().textContent = line.name;
  const field = document.createElement("input");
  field.type = "number"; field.min = 0; field.value = Math.round(line.times); field.id = "line" + number;
  field.setAttribute("aria-label", line.name + ", times a month");
  field.addEventListener("input", show);
  const cell = row.insertCell(); cell.className = "number"; cell.append(field);
  const cost = row.insertCell(); cost.className = "number"; cost.id = "cost" + number;
});
for (const id of ["users", "stored", "peak"]) document.getElementById(id).addEventListener("input", show);

function total(factor, stored, peak) {
  let onDemand = 0;
  const units = {};
  data.lines.forEach((line, number) => {
    const times = Number(document.getElementById("line" + number).value || 0) * factor;
    const cost = times * (line.read * line.prices.read + line.write * line.prices.write) / data.million;
    document.getElementById("cost" + number).textContent = money(cost);
    onDemand += cost;
    for (const [name, each] of Object.entries(line.resources)) {
      units[name] ??= {read: 0, write: 0, prices: line.prices, standard: line.standard};
      units[name].read += times * each.read / data.month;
      units[name].write += times * each.write / data.month;
    }
  });
  const hourly = (needed, each) => data.hours * (
    needed(each.read) * (each.prices.read_hour ?? NaN) + needed(each.write) * (each.prices.write_hour ?? NaN));
  const provisioned = (needed, of) => of.reduce((sum, each) => sum + hourly(needed, each), 0);
  const all = Object.values(units), standard = all.filter((each) => each.standard);
  const scaled = (used) => Math.max(1, used / 0.7);
  const bytes = data.tables.reduce((sum, table) => sum + (table.standard ? table.bytes * stored : 0), 0);
  const paid = bytes ? 1 - Math.min(1, data.free * data.gb / bytes) : 0;
  const storage = data.tables.reduce((sum, table) =>
    sum + table.bytes * stored * table.storage * (table.standard ? paid : 1), 0) / data.gb;
  const extras = data.tables.reduce((sum, table) => sum + table.extras * stored, 0);
  const found = {
    "On demand": onDemand,
    "Provisioned for the busiest second": provisioned((used) => Math.max(1, Math.ceil(used * peak)), all),
    "Provisioned, scaled to 70 % use": provisioned(scaled, all),
  };
  for (const term of data.reserved) {
    let cost = provisioned(scaled, all.filter((each) => !each.standard));
    for (const kind of ["read", "write"]) {
      const used = standard.reduce((sum, each) => sum + scaled(each[kind]), 0);
      const lots = Math.floor(used / data.lot);
      cost += lots * (term[kind + "_upfront"] / (term.years * 12) + term[kind + "_hour"] * data.hours)
        + (used - lots * data.lot) * data.list[kind + "_hour"] * data.hours;
    }
    found["Scaled, with capacity reserved for " + term.years + (term.years > 1 ? " years" : " year")] = cost;
  }
  return {found, storage: storage + extras};
}

function show() {
  const factor = Math.pow(10, Number(document.getElementById("users").value));
  const stored = Math.pow(10, Number(document.getElementById("stored").value));
  const peak = Number(document.getElementById("peak").value || 1);
  document.getElementById("usersText").textContent = factor.toPrecision(3) * 1 + " times the traffic";
  document.getElementById("storedText").textContent = stored.toPrecision(3) * 1 + " times the data";
  const {found, storage} = total(factor, stored, peak);
  const body = document.getElementById("totals");
  body.replaceChildren();
  const sums = Object.entries(found).filter(([, sum]) => !Number.isNaN(sum));
  const least = Math.min(...sums.map(([, sum]) => sum));
  for (const [name, sum] of sums) {
    const row = body.insertRow();
    row.className = sum === least ? "cheapest" : "";
    [name, money(sum), money(storage), money(sum + storage), money((sum + storage) * 12)].forEach((text, column) => {
      const cell = row.insertCell(); cell.textContent = text; cell.className = column ? "number" : "";
    });
  }
}
show();
"""


def cost_page(estimate: Estimate) -> str:
    """The page of an estimate."""
    # "<" is escaped, so that no name can end the element.
    data = json.dumps(_data(estimate)).replace("<", "\\u003c")
    title = escape(f"Cost of {estimate.design.name}")
    about = escape(
        f"{estimate.prices.region}, list prices of {estimate.prices.as_of}, in US dollars without tax."
    )
    notes = "".join(f'<p class="note">{escape(note)}</p>\n' for note in estimate.notes)
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{_STYLE}</style>
<h1>{title}</h1>
<p>{about}</p>
<p><label>Traffic <input type="range" id="users" min="-1" max="3" step="0.05" value="0"></label>
<span id="usersText"></span></p>
<p><label>Data <input type="range" id="stored" min="-1" max="3" step="0.05" value="0"></label>
<span id="storedText"></span></p>
<p><label>Busiest second, times the average
<input type="number" id="peak" min="1" step="0.5" value="{estimate.workload.peak:g}"></label></p>
<table>
<thead><tr><th>Billing</th><th class="number">Requests</th><th class="number">Storage and backups</th>
<th class="number">Each month</th><th class="number">Each year</th></tr></thead>
<tbody id="totals"></tbody>
</table>
<table>
<thead><tr><th>Pattern or write</th><th class="number">Times a month</th><th class="number">On demand</th></tr></thead>
<tbody id="lines"></tbody>
</table>
{notes}<script type="application/json" id="data">{data}</script>
<script>{_SCRIPT}</script>
</html>
"""


def _data(estimate: Estimate) -> dict[str, Any]:
    standard = estimate.prices.standard
    return {
        "million": MILLION,
        "month": MONTH,
        "hours": HOURS,
        "gb": GB,
        "lot": RESERVED_LOT,
        "free": estimate.prices.free_storage,
        "list": {"read_hour": standard.read_hour, "write_hour": standard.write_hour},
        "reserved": [reserved.model_dump() for reserved in standard.reserved],
        "lines": [
            {
                "name": line.name,
                "times": line.times,
                "read": line.units.read,
                "write": line.units.write,
                "resources": {
                    str(resource): {"read": units.read, "write": units.write}
                    for resource, units in line.each.items()
                },
                "prices": line.prices.model_dump(exclude={"reserved"}),
                "standard": line.table.table_class == "STANDARD",
            }
            for line in estimate.lines
        ],
        "tables": [
            {
                "bytes": table.bytes,
                "storage": table.prices.storage,
                "standard": table.is_standard,
                "extras": sum(extra.cost for extra in table.extras),
            }
            for table in estimate.tables
        ],
    }
