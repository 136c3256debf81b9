// The markers by which widely used model families mark turns, thoughts and calls: a text with one of them was not parsed
// (WIRE-27). A family that is missing is a reason to add a line.
import { escapePattern } from '../../../../../spec/escape-pattern.ts'

const words = (line: string): readonly string[] => line.split(' ')

/** The markers of each family. */
export const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  'ChatML, Qwen': words(
    '<|im_start|> <|im_end|> <|endoftext|> <think> </think> <tool_call> </tool_call> <tool_response>',
  ),
  'Qwen coder': words('<function= </function> <parameter= </parameter>'),
  Hermes: words('<scratch_pad>'),
  Llama: words(
    '<|begin_of_text|> <|start_header_id|> <|end_header_id|> <|eot_id|> <|eom_id|> <|header_start|> <|eot|> <|python_tag|> <|python_start|>',
  ),
  Mistral: words('[/INST] [SYSTEM_PROMPT] [THINK] [/THINK] [TOOL_CALLS] [ARGS] [CALL_ID] [TOOL_RESULTS]'),
  Gemma: words(
    '<start_of_turn> <end_of_turn> <|turn> <turn|> <|channel> <channel|> <|think|> <|tool_call> <tool_call|> <|tool_response> <|"|>',
  ),
  'gpt-oss': words('<|start|> <|end|> <|return|> <|channel|> <|message|> <|call|> <|constrain|>'),
  DeepSeek: words(
    '<｜begin▁of▁sentence｜> <｜end▁of▁sentence｜> <｜User｜> <｜Assistant｜> <｜tool▁calls▁begin｜> <｜tool▁call▁begin｜> <｜tool▁sep｜> ｜DSML｜',
  ),
  Kimi: words(
    '<|im_middle|> ◁think▷ ◁/think▷ <|tool_calls_section_begin|> <|tool_call_begin|> <|tool_call_argument_begin|>',
  ),
  GLM: words('<|user|> <|assistant|> <|observation|> <arg_key> <arg_value>'),
  MiniMax: words('[e~[ ]~b] <mm:think> <minimax:tool_call>'),
  Seed: words('<seed:bos> <seed:eos> <seed:think> <seed:cot_budget_reflect> <seed:tool_call>'),
  'Granite, Phi': words('<|start_of_role|> <|end_of_role|> <|tool_call|>'),
}

/** Markers that are ordinary text, too: they count only at the very start or end of a text. */
export const AT_ENDS: readonly string[] = ['<s>', '</s>', '<response>', '[INST]', '<invoke name=']

/** The forms of markers: special tokens, elements and bracketed words that no family of the table has. */
const FORMS = [
  String.raw`<[|｜][\w▁]{2,40}[|｜]>`,
  '</?(?:tool_calls?|tool_response|function_calls?|invoke|think|thinking|thought|reasoning)>',
  String.raw`\[/?(?:TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|THINK|SYSTEM_PROMPT)\]`,
  '<</?SYS>>',
]

const oneOf = (markers: readonly string[]): string => markers.map((one) => escapePattern(one)).join('|')

const MARKERS = new RegExp(
  [oneOf(Object.values(FAMILIES).flat()), `^(?:${oneOf(AT_ENDS)})`, `(?:${oneOf(AT_ENDS)})$`, ...FORMS].join(
    '|',
  ),
  'gu',
)

/** The markers in a text, in their order. */
export const markersIn = (text: string): readonly string[] => text.match(MARKERS) ?? []

/** The markers around thoughts, with a stroke in those that end them. */
const AROUND_THOUGHTS = /think|thought|reasoning|scratch_pad/i

/** The thoughts that a text has between its markers, or before a marker that ends them; undefined without any. */
export function thoughtsIn(text: string): string | undefined {
  let from = 0
  let isOpen = false
  for (const { 0: marker, index } of text.matchAll(MARKERS)) {
    if (!AROUND_THOUGHTS.test(marker)) continue
    const isEnd = marker.includes('/')
    const thoughts = text.slice(from, index).trim()
    if (isEnd && thoughts !== '') return thoughts
    from = index + marker.length
    isOpen = !isEnd
  }
  const rest = text.slice(from).trim()
  return isOpen && rest !== '' ? rest : undefined
}
