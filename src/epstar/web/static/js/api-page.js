// The documentation of the API, drawn from its schema.
/* global SwaggerUIBundle */
SwaggerUIBundle({ url: "api/openapi.json", dom_id: "#api", deepLinking: false, validatorUrl: null, docExpansion: "list", defaultModelsExpandDepth: -1 });
