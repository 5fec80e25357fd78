import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A model hub on this machine that serves one file in one repository. */
export interface StubHub {
  readonly url: string;
  readonly sha256: string;
  /** Range headers of the requests for content. */
  readonly ranges: string[];
  /** Cut the next answers after this many bytes each. */
  cutAfter: number[];
  /** Never send a byte of content. */
  silent: boolean;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a stub that speaks what the hub's client asks: metadata of paths, and ranges of content. */
export async function startStubHub(repository: string, path: string, content: Buffer): Promise<StubHub> {
  const sha256 = createHash("sha256").update(content).digest("hex");
  const ranges: string[] = [];
  const server = createServer((request, response) => {
    if (request.url === `/api/models/${repository}/paths-info/main`) return sendMetadata(response);
    if (request.url === `/${repository}/resolve/main/${path}`) return sendContent(request, response);
    response.writeHead(404, { "x-error-code": "RepoNotFound" }).end("{}");
  });
  const sendMetadata = (response: ServerResponse): void => {
    const size = content.length;
    const entry = { type: "file", path, size, oid: "0", lfs: { oid: sha256, size, pointerSize: 1 } };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify([entry]));
  };
  const sendContent = (request: IncomingMessage, response: ServerResponse): void => {
    const range = request.headers.range ?? "bytes=0-";
    const [from = 0, to = content.length - 1] = [...range.matchAll(/\d+/g)].map(([digits]) => Number(digits));
    const probe = range === "bytes=0-0";
    if (!probe) ranges.push(range);
    const part = content.subarray(from, to + 1);
    response.writeHead(206, {
      etag: `"${sha256}"`,
      "content-length": part.length,
      "content-range": `bytes ${from}-${to}/${content.length}`,
    });
    if (!probe && hub.silent) return;
    const cut = probe ? undefined : hub.cutAfter.shift();
    if (cut === undefined || cut >= part.length) response.end(part);
    else response.write(part.subarray(0, cut), () => response.destroy());
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const hub: StubHub = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sha256,
    ranges,
    cutAfter: [],
    silent: false,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return hub;
}
