// How services of today state the length of a context, and how they refuse a prompt that is longer: one line for each
// spelling. The judge reads these tables, and `npm run docs` writes them into docs/judge.md.
import { at, isRecord } from '../../harness/json-value.ts'
import { withSection } from '../../harness/page-section.ts'

interface ContextMember {
  readonly name: string
  readonly services: string
  /** `judged`: MODEL-9 names it; `sized`: the judge only sizes its prompts by it; `other`: it is not the length that is served. */
  readonly use: 'judged' | 'sized' | 'other'
}

/** The members of a model record, at the record or one level below, by their names. */
const CONTEXT_MEMBERS: readonly ContextMember[] = [
  { name: 'max_model_len', services: 'vLLM, SGLang', use: 'judged' },
  {
    name: 'context_length',
    services: 'the reference server, OpenRouter, Together, Fireworks, DeepInfra (in `metadata`)',
    use: 'judged',
  },
  { name: 'context_window', services: 'Groq', use: 'judged' },
  { name: 'max_context_length', services: 'Mistral, LM Studio', use: 'judged' },
  { name: 'max_input_tokens', services: 'Anthropic, GitHub Models (in `limits`)', use: 'judged' },
  { name: 'n_ctx', services: 'llama-server, llama-swap (in `meta`)', use: 'sized' },
  { name: 'n_ctx_train', services: 'llama-server (in `meta`): the length of the training', use: 'other' },
]

interface OverflowAnswer {
  readonly services: string
  /** The status, and the `code` or `type` of the error. */
  readonly answer: string
  /** A part of its `code`, `type` or `message` that no other refusal has. */
  readonly says: string
}

const OVERFLOW_ANSWERS: readonly OverflowAnswer[] = [
  {
    services: 'the reference server, OpenAI, Azure, Groq, llama-cpp-python',
    answer: '400, code `context_length_exceeded`',
    says: 'context_length',
  },
  { services: 'vLLM', answer: '400, code 400, type `BadRequestError`', says: 'maximum context length' },
  { services: 'SGLang', answer: '400, code 400', says: "model's context length" },
  {
    services: 'llama-server',
    answer: '400, code 400, type `exceed_context_size_error`',
    says: 'context size',
  },
  { services: 'LiteLLM', answer: '400, code `400`', says: 'ContextWindowExceededError' },
  { services: 'services of several kinds', answer: '400', says: 'context window' },
  { services: 'services of several kinds', answer: '400', says: 'context of' },
  { services: 'services of several kinds', answer: '400', says: 'prompt is too long' },
  { services: 'Ollama', answer: '200: it leaves text of the prompt out', says: '' },
]

/** A length that a model record states, with the path of its member. */
export interface StatedLength {
  readonly path: string
  readonly value: unknown
  readonly use: ContextMember['use']
}

/** The lengths that a model record states, at the record or one level below. A null states nothing. */
export function statedLengths(record: unknown): readonly StatedLength[] {
  const holders = Object.entries(isRecord(record) ? record : {}).filter(([, value]) => isRecord(value))
  return CONTEXT_MEMBERS.flatMap(({ name, use }) =>
    [['', record] as const, ...holders].flatMap(([holder, value]) => {
      const stated = at(value, name) ?? undefined
      return stated === undefined
        ? []
        : [{ path: holder === '' ? name : `${holder}.${name}`, value: stated, use }]
    }),
  )
}

/** Whether the error of a refusal speaks of a prompt that is longer than the context. */
export function speaksOfContext(error: unknown): boolean {
  const said = spaced(['code', 'type', 'message'].map((name) => String(at(error, name))).join(' '))
  return OVERFLOW_ANSWERS.some(({ says }) => says !== '' && said.includes(spaced(says)))
}

/** Services write `context_length` and `context-length`, too. */
const spaced = (text: string): string => text.toLowerCase().replaceAll(/[-_]/g, ' ')

const USES = {
  judged: 'MODEL-9',
  sized: 'the size of the prompts for ERR-10',
  other: 'not read',
} as const

const MARKS = {
  begin: '<!-- contexts: `npm run docs` writes these tables -->',
  end: '<!-- /contexts -->',
}

/** The page with both tables between their marks. */
export function withContextTables(page: string): string {
  return withSection(page, MARKS, [
    '| member of a model record | stated by | read for |',
    '|---|---|---|',
    ...CONTEXT_MEMBERS.map(({ name, services, use }) => `| \`${name}\` | ${services} | ${USES[use]} |`),
    '',
    '| service | answer to an overflow | recognised by |',
    '|---|---|---|',
    ...OVERFLOW_ANSWERS.map(
      ({ services, answer, says }) => `| ${services} | ${answer} | ${says === '' ? '' : `\`${says}\``} |`,
    ),
  ])
}
