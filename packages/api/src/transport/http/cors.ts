import type { FastifyReply, FastifyRequest } from "fastify";

/** Tells a browser that its origin, which has passed the origin check, may read the answer. */
export function allowOrigin(request: FastifyRequest, reply: FastifyReply): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  void reply.headers({
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "x-request-id, retry-after",
    vary: "origin",
  });
}

/** Whether a request is a browser's question what it may send; it carries no key. */
export function isPreflight(request: FastifyRequest): boolean {
  const { origin } = request.headers;
  return (
    request.method === "OPTIONS" && origin !== undefined && "access-control-request-method" in request.headers
  );
}

/** Answers such a question. */
export function answerPreflight(reply: FastifyReply): void {
  void reply
    .code(204)
    .headers({
      "access-control-allow-methods": "GET, POST, DELETE",
      "access-control-allow-headers": "authorization, content-type, openai-beta",
      "access-control-max-age": "600",
    })
    .send();
}
