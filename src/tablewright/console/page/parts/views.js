// The views of the page, in the order of the rail.

/** @type {{id: string, title: string, key: string, about: string}[]} */
export const VIEWS = [
  { id: "overview", title: "Overview", key: "o", about: "The design as a picture, with counts and findings" },
  { id: "items", title: "Items", key: "i", about: "Partitions, items, and where each index has them" },
  { id: "patterns", title: "Patterns", key: "p", about: "Run an access pattern; see its request, cost and code" },
  { id: "edit", title: "Edits", key: "e", about: "Staged changes, and what each write touches" },
  { id: "streams", title: "Streams", key: "s", about: "Changes as they happen" },
  { id: "time", title: "Time", key: "t", about: "Items as they were" },
  { id: "heat_and_cost", title: "Heat and cost", key: "c", about: "Load per key, and the price of each pattern" },
  { id: "health", title: "Health", key: "h", about: "Findings, drift, and integrity" },
  { id: "operations", title: "Operations", key: "b", about: "Backups, exports, migrations, and switches for tests" },
  { id: "query", title: "Query", key: "q", about: "PartiQL and raw requests" },
];
