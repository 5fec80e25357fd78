import { z } from "zod";

/** One line of a teacher-forcing file: the output items the model is made to write in one response. */
export const trajectoryLineSchema = z.looseObject({
  output: z.array(z.looseObject({ type: z.string() })),
});
export type TrajectoryLine = z.infer<typeof trajectoryLineSchema>;
