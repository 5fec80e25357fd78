/** Token counts of one response, as on the wire. Cached and cache-write tokens are parts of the input total. */
export interface Usage {
  input_tokens: number;
  input_tokens_details: { cached_tokens: number; cache_write_tokens: number };
  output_tokens: number;
  output_tokens_details: { reasoning_tokens: number };
  total_tokens: number;
}
