// Starts Swagger UI on an API's documentation page.
SwaggerUIBundle({
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
