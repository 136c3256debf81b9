/**
 * Members of a request, by their paths, for which the OpenAPI document allows null and the format does not: a service
 * may refuse null there (WIRE-13).
 */
export const NULL_NOT_PROMISED: ReadonlySet<string> = new Set([
  'function_call',
  'functions',
  'parallel_tool_calls',
  'prompt_cache_options',
  'response_format',
  'response_format.json_schema.description',
  'response_format.json_schema.schema',
  'stream_options.include_obfuscation',
  'stream_options.include_usage',
  'tool_choice',
  'tools',
  'user',
  'web_search_options',
])
