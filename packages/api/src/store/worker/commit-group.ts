import type { ResponseRecord } from "../record/record.ts";
import { type CommitOutcome, commitResponse, type PackedRecord, packRecord } from "../sql/commit-response.ts";
import type { StoreDatabase } from "../sql/schema.ts";
import { failureOf, type StoreFailure } from "./failure.ts";

export interface CommitRequest {
  readonly record: ResponseRecord;
  readonly now: number;
}

type Settled = { readonly outcome: CommitOutcome } | { readonly failure: StoreFailure };
type Prepared = { readonly packed: PackedRecord; readonly now: number } | { readonly failure: StoreFailure };

function prepare(request: CommitRequest): Prepared {
  try {
    return { packed: packRecord(request.record), now: request.now };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

async function commitTogether(database: StoreDatabase, prepared: readonly Prepared[]): Promise<Settled[]> {
  return database.transaction().execute(async (transaction) => {
    const settled: Settled[] = [];
    for (const entry of prepared) {
      settled.push(
        "failure" in entry ? entry : { outcome: await commitResponse(transaction, entry.packed, entry.now) },
      );
    }
    return settled;
  });
}

/**
 * Writes a group in one transaction, so that all of it costs one sync of the disk. When the transaction fails,
 * each write is tried in one of its own: a write that does not fit must not fail its neighbours.
 */
export async function commitGroup(
  database: StoreDatabase,
  requests: readonly CommitRequest[],
): Promise<Settled[]> {
  const prepared = requests.map(prepare);
  try {
    return await commitTogether(database, prepared);
  } catch (error) {
    if (prepared.length === 1) return [{ failure: failureOf(error) }];
  }
  const settled: Settled[] = [];
  for (const entry of prepared) {
    try {
      settled.push(...(await commitTogether(database, [entry])));
    } catch (error) {
      settled.push({ failure: failureOf(error) });
    }
  }
  return settled;
}
