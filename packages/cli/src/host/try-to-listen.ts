import { createServer } from "node:net";

/** Null when the address is free, else the system's code such as `EADDRINUSE`. Nothing listens afterwards. */
export function tryToListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}
