// Families that write calls as JSON objects.
import { type Family, joined, jsonCall, literal, structure } from '../family.ts'

const CHATML = ['<|im_start|>', '<|im_end|>', '<|endoftext|>']
const QWEN = { open: '<tool_call>\n', close: '\n</tool_call>' }
const TAGS = ['<tool_call>', '</tool_call>', '<tool_response>', '</tool_response>']

const hermesCalls = {
  calls: (calls) =>
    joined(
      calls.map((call) => jsonCall(call, QWEN)),
      '\n',
    ),
  beforeCalls: '\n',
  afterCalls: '\n',
} satisfies Partial<Family>

export const hermes: Family = {
  name: 'hermes',
  hasForeignTemplate: true,
  template: 'NousResearch-Hermes-3-Llama-3.1-8B-tool_use.jinja',
  begin: '<|begin_of_text|>',
  end: '<|im_end|>',
  control: ['<|begin_of_text|>', '<|im_start|>', '<|im_end|>'],
  markers: TAGS,
  promptEnd: '\n',
  ...hermesCalls,
}

export const qwen3: Family = {
  name: 'qwen3',
  template: 'Qwen-Qwen3-0.6B.jinja',
  end: '<|im_end|>',
  control: CHATML,
  markers: [...TAGS, '<think>', '</think>'],
  promptEnd: '\n',
  thoughts: { open: '<think>\n', close: '\n</think>\n\n' },
  ...hermesCalls,
}

export const granite: Family = {
  name: 'granite-4',
  template: 'ibm-granite-granite-4.0.jinja',
  end: '<|end_of_text|>',
  control: ['<|start_of_role|>', '<|end_of_role|>', '<|end_of_text|>'],
  markers: TAGS,
  promptEnd: '',
  ...hermesCalls,
}

export const llama3: Family = {
  name: 'llama-3.1',
  template: 'meta-llama-Llama-3.1-8B-Instruct.jinja',
  begin: '<|begin_of_text|>',
  end: '<|eot_id|>',
  control: [
    '<|begin_of_text|>',
    '<|start_header_id|>',
    '<|end_header_id|>',
    '<|eot_id|>',
    '<|eom_id|>',
    '<|python_tag|>',
  ],
  markers: [],
  promptEnd: '\n',
  calls: (calls) =>
    joined(
      calls.map((call) => jsonCall(call, { member: 'parameters' })),
      '; ',
    ),
  mostCalls: 1,
}

export const mistralNemo: Family = {
  name: 'mistral-nemo',
  hasForeignTemplate: true,
  template: 'mistralai-Mistral-Nemo-Instruct-2407.jinja',
  begin: '<s>',
  end: '</s>',
  control: [
    '<s>',
    '</s>',
    '[INST]',
    '[/INST]',
    '[AVAILABLE_TOOLS]',
    '[/AVAILABLE_TOOLS]',
    '[TOOL_CALLS]',
    '[TOOL_RESULTS]',
    '[/TOOL_RESULTS]',
  ],
  markers: [],
  promptEnd: '',
  calls: (calls) => [
    structure('[TOOL_CALLS]['),
    ...joined(
      calls.map((call, index) => jsonCall(call, { id: `call0000${index + 1}` })),
      ', ',
    ),
    structure(']'),
  ],
  beforeCalls: '',
}

export const mistralSmall: Family = {
  name: 'mistral-small-3.2',
  template: 'Mistral-Small-3.2-24B-Instruct-2506.jinja',
  begin: '<s>',
  end: '</s>',
  control: [
    ...mistralNemo.control,
    '[SYSTEM_PROMPT]',
    '[/SYSTEM_PROMPT]',
    '[CALL_ID]',
    '[ARGS]',
    '[TOOL_CONTENT]',
  ],
  markers: [],
  promptEnd: '',
  calls: (calls) =>
    calls.flatMap(({ name, values }, index) => [
      structure(`[TOOL_CALLS]${name}[CALL_ID]call0000${index + 1}[ARGS]`),
      literal(JSON.stringify(values)),
    ]),
  beforeCalls: '',
}

export const nemotron: Family = {
  name: 'nemotron-nano-v2',
  template: 'NVIDIA-Nemotron-Nano-v2.jinja',
  begin: '<s>',
  end: '<SPECIAL_12>',
  control: ['<s>', '<SPECIAL_10>', '<SPECIAL_11>', '<SPECIAL_12>'],
  markers: ['<TOOLCALL>', '</TOOLCALL>', '<think>', '</think>'],
  promptEnd: '\n',
  thoughts: { open: '<think>\n', close: '\n</think>\n\n', isOpened: true },
  calls: (calls) => [
    structure('<TOOLCALL>['),
    ...joined(
      calls.map((call) => jsonCall(call)),
      ', ',
    ),
    structure(']</TOOLCALL>'),
  ],
  beforeCalls: '\n',
}
