import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lapRecordFixture } from "../store/testing/response-write.ts";
import { LapRing } from "./lap-ring.ts";

const lap = (id: string) => lapRecordFixture({ response_id: id });
const sizeOfOne = JSON.stringify(lap("resp_1")).length;

describe("the lap ring", () => {
  it("finds a record in its own scope only", () => {
    const ring = new LapRing();
    ring.add("tenant-1", lap("resp_1"));
    assert.deepEqual(ring.find("tenant-1", "resp_1"), lap("resp_1"));
    assert.equal(ring.find("tenant-2", "resp_1"), null);
    assert.equal(ring.find("tenant-1", "resp_2"), null);
    ring.add("tenant-2", { ...lap("resp_1"), model: "other" });
    assert.equal(ring.find("tenant-1", "resp_1")?.model, lap("resp_1").model);
  });

  it("keeps the latest records of a scope and leaves the others theirs", () => {
    const ring = new LapRing({ maxRecords: 3 });
    ring.add("quiet", lap("resp_q"));
    for (let index = 0; index < 10; index += 1) ring.add("busy", lap(`resp_${index}`));
    assert.deepEqual(
      ring.latest("busy", 10).map((record) => record.response_id),
      ["resp_9", "resp_8", "resp_7"],
    );
    assert.equal(ring.find("busy", "resp_6"), null);
    assert.notEqual(ring.find("quiet", "resp_q"), null);
    assert.equal(ring.gauges().records, 4);
  });

  it("stays within its bytes at the cost of the scope that holds most", () => {
    const ring = new LapRing({ maxBytes: sizeOfOne * 5 });
    for (let index = 0; index < 4; index += 1) ring.add("busy", lap(`resp_${index}`));
    for (let index = 0; index < 2; index += 1) ring.add("quiet", lap(`resp_${index}`));
    assert.equal(ring.find("busy", "resp_0"), null);
    assert.notEqual(ring.find("quiet", "resp_0"), null);
    assert.deepEqual(ring.gauges(), { scopes: 2, records: 5, bytes: sizeOfOne * 5 });
  });

  it("drops a record that alone is too large", () => {
    const ring = new LapRing({ maxBytes: 100 });
    ring.add("default", lap("resp_1"));
    assert.deepEqual(ring.gauges(), { scopes: 1, records: 0, bytes: 0 });
  });

  it("replaces a record of the same id and counts it once", () => {
    const ring = new LapRing();
    ring.add("default", lap("resp_1"));
    ring.add("default", lap("resp_2"));
    ring.add("default", { ...lap("resp_1"), status: "failed" });
    assert.equal(ring.find("default", "resp_1")?.status, "failed");
    assert.equal(ring.latest("default", 1)[0]?.response_id, "resp_1");
    assert.deepEqual(ring.latest("default", 0), []);
    assert.equal(ring.gauges().records, 2);
  });
});
