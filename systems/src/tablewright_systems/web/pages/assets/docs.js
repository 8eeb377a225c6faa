// Starts Swagger UI on an API's documentation page.
const ui = SwaggerUIBundle({
  domNode: document.querySelector("#docs"),
  url: document.querySelector("#docs").dataset.openapi,
  presets: [SwaggerUIBundle.presets.apis],
  deepLinking: true,
  defaultModelsExpandDepth: 0, // the list of models at the end of the page starts collapsed
  displayRequestDuration: true,
  docExpansion: "list",
  filter: true,
  persistAuthorization: true, // the token survives a reload
  tryItOutEnabled: true,
  validatorUrl: null, // the default sends the document to validator.swagger.io
});

// On a development machine the page mints a token for a sample person, and uses it.
const people = document.querySelector("#people");
people?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const person = people.elements.person.value;
  const reply = await fetch(people.dataset.tokens, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ person }),
  });
  const result = await reply.json();
  if (reply.ok) ui.preauthorizeApiKey("HTTPBearer", result.token);
  people.querySelector("output").value = reply.ok ? `Requests are sent as: ${person}` : result.detail;
});
