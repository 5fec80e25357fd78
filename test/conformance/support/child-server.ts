import { scratchFolder } from "../../support/scratch-folder.ts";
import { type ForcedLine, serve, simulatedModelId } from "../../support/serve.ts";

/** Model id of the servers started here. */
export const model = simulatedModelId;

/** A real `slipstream serve` on the simulated engine, in a process and a folder of its own. */
export interface ChildServer extends AsyncDisposable {
  /** Without `/v1`. */
  readonly root: string;
  /** With `/v1`, as clients take it. */
  readonly baseUrl: string;
}

/** Starts one; without a trajectory the model writes words of its own. */
export async function startChildServer(trajectory?: readonly ForcedLine[]): Promise<ChildServer> {
  const folder = scratchFolder();
  try {
    const server = await serve({
      engine: "simulated",
      folder: folder.path,
      ...(trajectory === undefined ? {} : { trajectory }),
    });
    return {
      root: server.root,
      baseUrl: `${server.root}/v1`,
      async [Symbol.asyncDispose]() {
        await server.close();
        folder[Symbol.dispose]();
      },
    };
  } catch (error) {
    folder[Symbol.dispose]();
    throw error;
  }
}
