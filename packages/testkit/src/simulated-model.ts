import {
  createSimulatedModel,
  noCost,
  type SimulatedModel,
  type SimulatedModelOptions,
} from "@slipstream-stack/inference";
import { FakeClock } from "./fake-clock.ts";

/** A simulated model at no cost on a clock of its own, unless told otherwise; its id is `simulated`. */
export function simulatedModel(options: Partial<SimulatedModelOptions> = {}): SimulatedModel {
  return createSimulatedModel({ id: "simulated", clock: new FakeClock(), cost: noCost, ...options });
}
