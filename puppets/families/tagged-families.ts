// Families that write calls between markers of their own, with JSON arguments or a tag for each parameter.
import { type Family, joined, literal, structure, tagged } from '../family.ts'

const TAGS = ['<tool_call>', '</tool_call>', '<tool_response>', '</tool_response>']
const THINK = ['<think>', '</think>']

export const deepseekR1: Family = {
  name: 'deepseek-r1',
  template: 'llama-cpp-deepseek-r1.jinja',
  begin: '<｜begin▁of▁sentence｜>',
  end: '<｜end▁of▁sentence｜>',
  control: ['<｜begin▁of▁sentence｜>', '<｜end▁of▁sentence｜>'],
  markers: [
    '<｜User｜>',
    '<｜Assistant｜>',
    '<｜tool▁calls▁begin｜>',
    '<｜tool▁calls▁end｜>',
    '<｜tool▁call▁begin｜>',
    '<｜tool▁call▁end｜>',
    '<｜tool▁outputs▁begin｜>',
    '<｜tool▁outputs▁end｜>',
    '<｜tool▁output▁begin｜>',
    '<｜tool▁output▁end｜>',
    '<｜tool▁sep｜>',
    ...THINK,
  ],
  promptEnd: '\n',
  thoughts: { open: '<think>\n', close: '\n</think>\n\n', isOpened: true },
  calls: (calls) => [
    structure('<｜tool▁calls▁begin｜>'),
    ...joined(
      calls.map(({ name, values }) => [
        structure(`<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n`),
        literal(JSON.stringify(values)),
        structure('\n```<｜tool▁call▁end｜>'),
      ]),
      '\n',
    ),
    structure('<｜tool▁calls▁end｜>'),
  ],
  beforeCalls: '\n',
}

export const qwen3Coder: Family = {
  name: 'qwen3-coder',
  template: 'Qwen3-Coder.jinja',
  end: '<|im_end|>',
  control: ['<|im_start|>', '<|im_end|>', '<|endoftext|>'],
  markers: TAGS,
  promptEnd: '\n',
  calls: (calls) =>
    joined(
      calls.map(({ name, values }) => [
        structure(`<tool_call>\n<function=${name}>\n`),
        ...Object.entries(values).flatMap(([key, value]) => [
          structure(`<parameter=${key}>\n`),
          tagged(value),
          structure('\n</parameter>\n'),
        ]),
        structure('</function>\n</tool_call>'),
      ]),
      '\n',
    ),
  beforeCalls: '\n',
}

export const glm: Family = {
  name: 'glm-4.6',
  hasForeignTemplate: true,
  template: 'GLM-4.6.jinja',
  end: '<|user|>',
  endOfCalls: '<|observation|>',
  control: [
    '[gMASK]',
    '<sop>',
    '<|system|>',
    '<|user|>',
    '<|assistant|>',
    '<|observation|>',
    '<|endoftext|>',
  ],
  markers: [...TAGS, ...THINK, '<arg_key>', '</arg_key>', '<arg_value>', '</arg_value>'],
  promptEnd: '',
  thoughts: { open: '\n<think>', close: '</think>\n' },
  calls: (calls) =>
    joined(
      calls.map(({ name, values }) => [
        structure(`<tool_call>${name}\n`),
        ...Object.entries(values).flatMap(([key, value]) => [
          structure(`<arg_key>${key}</arg_key>\n<arg_value>`),
          tagged(value),
          structure('</arg_value>\n'),
        ]),
        structure('</tool_call>'),
      ]),
      '\n',
    ),
  beforeCalls: '\n',
}

export const kimi: Family = {
  name: 'kimi-k2',
  template: 'Kimi-K2-Instruct.jinja',
  end: '<|im_end|>',
  control: ['<|im_system|>', '<|im_user|>', '<|im_assistant|>', '<|im_middle|>', '<|im_end|>'],
  markers: [
    '<|tool_calls_section_begin|>',
    '<|tool_calls_section_end|>',
    '<|tool_call_begin|>',
    '<|tool_call_argument_begin|>',
    '<|tool_call_end|>',
  ],
  promptEnd: '',
  calls: (calls) => [
    structure('<|tool_calls_section_begin|>'),
    ...calls.flatMap(({ name, values }, index) => [
      structure(`<|tool_call_begin|>functions.${name}:${index}<|tool_call_argument_begin|>`),
      literal(JSON.stringify(values)),
      structure('<|tool_call_end|>'),
    ]),
    structure('<|tool_calls_section_end|>'),
  ],
  beforeCalls: '',
}

export const minimax: Family = {
  name: 'minimax-m2',
  template: 'MiniMax-M2.jinja',
  end: '[e~[',
  control: [']~!b[', ']~b]', '[e~['],
  markers: ['<minimax:tool_call>', '</minimax:tool_call>', ...THINK],
  promptEnd: '\n',
  thoughts: { open: '<think>\n', close: '\n</think>\n\n', isOpened: true },
  calls: (calls) => [
    structure('<minimax:tool_call>\n'),
    ...calls.flatMap(({ name, values }) => [
      structure(`<invoke name="${name}">\n`),
      ...Object.entries(values).flatMap(([key, value]) => [
        structure(`<parameter name="${key}">`),
        tagged(value),
        structure('</parameter>\n'),
      ]),
      structure('</invoke>\n'),
    ]),
    structure('</minimax:tool_call>'),
  ],
  beforeCalls: '\n',
}
