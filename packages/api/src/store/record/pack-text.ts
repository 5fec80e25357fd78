import { deflateRawSync, inflateRawSync } from "node:zlib";

/** The first byte of packed content says how the rest is written. A new dictionary needs a new number. */
const form = { plain: 0, deflated: 1 } as const;

/**
 * Texts that stored JSON is made of, so that even a lap record of 900 bytes shrinks to its numbers. Part of
 * the file format: never edit, only add another under a new form number.
 */
const dictionary = Buffer.from(
  '"client_closed_request""engine_restarting""context_length_exceeded""lineage_miss""template_rewind"' +
    '"reencoded""base_evicted""engine_restarted""fingerprint_changed""boundary_unaligned""reuse_off"' +
    '"first_request""tools_changed""model_changed""input_changed""context_compacted""cancelled""failed"' +
    '{"schema":1,"response_id":"resp_","previous_response_id":"resp_","model":"smollm2-135m-instruct",' +
    '"engine":"llama","epoch":"","transport":"websocket","status":"completed","error_code":null,' +
    '"continuation":"lineage","bytes_in":,"bytes_out":,"items":{"input":,"reused":,"output":},"tokens":{' +
    '"prompt":,"cached":,"new":,"evaluated":,"output":},"work":{"rendered_items":,"tokenized_tokens":,' +
    '"hashed_tokens":,"store_bytes":},"base":{"length":,"tier":"hot"},"wire_reason":null,"cause":null,' +
    '"worker":null,"route_reason":null,"forced":false,"ms":{"parse":,"render":,"queue":,"prefill":,' +
    '"first_token":,"decode":,"store":,"total":,"since_last_lap":null}}' +
    '{"id":"resp_","object":"response","created_at":,"completed_at":,"status":"incomplete","background":false,' +
    '"error":null,"incomplete_details":{"reason":"max_output_tokens"},"instructions":null,' +
    '"max_output_tokens":null,"max_tool_calls":null,"parallel_tool_calls":true,"previous_response_id":null,' +
    '"prompt_cache_key":null,"prompt_cache_retention":null,"reasoning":{"effort":null,"summary":null},' +
    '"safety_identifier":null,"service_tier":"default","store":true,"temperature":1,"text":{"format":{' +
    '"type":"text"},"verbosity":"medium"},"tool_choice":"auto","tools":[],"top_logprobs":0,"top_p":1,' +
    '"presence_penalty":0,"frequency_penalty":0,"truncation":"disabled","usage":{"input_tokens":,' +
    '"input_tokens_details":{"cached_tokens":,"cache_write_tokens":},"output_tokens":,' +
    '"output_tokens_details":{"reasoning_tokens":0},"total_tokens":},"user":null,"metadata":{},' +
    '"access_programs":null}' +
    '{"type":"reasoning","id":"rs_","summary":[],"content":[{"type":"reasoning_text","text":"' +
    '{"type":"custom_tool_call","id":"ctc_","call_id":"call_","name":"apply_patch","input":"' +
    '{"type":"custom_tool_call_output","id":"ctco_","call_id":"call_","output":"' +
    '[{"type":"message","role":"developer","content":[{"type":"input_text","text":"' +
    '[{"type":"message","role":"user","content":[{"type":"input_text","text":"' +
    '{"type":"message","id":"msg_","role":"assistant","status":"completed","content":[{"type":"output_text",' +
    '"annotations":[],"logprobs":[],"text":"' +
    '{"type":"function_call_output","id":"fco_","call_id":"call_","output":"' +
    '{"type":"function_call","id":"fc_","status":"completed","call_id":"call_","name":"shell","arguments":"{' +
    '\\"command\\":\\"\\"}"}]',
);

/** Bytes as they are stored: deflated (RFC 1951, preset dictionary) where that is shorter. */
export function packBytes(content: Uint8Array): Uint8Array {
  const deflated = deflateRawSync(content, { dictionary });
  const shorter = deflated.length < content.length;
  const packed = new Uint8Array(1 + Math.min(deflated.length, content.length));
  packed[0] = shorter ? form.deflated : form.plain;
  packed.set(shorter ? deflated : content, 1);
  return packed;
}

/** @throws RangeError on a form this version does not know; zlib's own error on damaged content. */
export function unpackBytes(packed: Uint8Array): Uint8Array {
  const content = packed.subarray(1);
  if (packed[0] === form.plain) return content;
  if (packed[0] === form.deflated) return inflateRawSync(content, { dictionary });
  throw new RangeError(`Stored content has the unknown form ${packed[0]}.`);
}

export function packText(text: string): Uint8Array {
  return packBytes(new TextEncoder().encode(text));
}

export function unpackText(packed: Uint8Array): string {
  return new TextDecoder().decode(unpackBytes(packed));
}
