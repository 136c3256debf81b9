// A recorded answer that does not do what its request demands fails the row that demands it, in each entry that shows it.
import { at, isRecord, listAt, parseJson } from '../../../harness/json-value.ts'
import { editArguments, editMembers, editText, isSuccess } from './edit-archive.fixture.ts'
import { faultOf, testFaults } from './expect-red.fixture.ts'
import { type Entry, askedBy, editAnswer, isStreamed, withAnswer } from './live-archive.fixture.ts'

const asksFor = (entry: Entry, name: string): boolean =>
  isSuccess(entry) && (askedBy(entry)[name] ?? null) !== null

const formatIs = (entry: Entry, type: string): boolean =>
  at(askedBy(entry), 'response_format', 'type') === type

const isStrict = (entry: Entry): boolean => at(askedBy(entry), 'tools', 0, 'function', 'strict') === true
const hasTools = (entry: Entry): boolean => asksFor(entry, 'tools')

const fenced = (text: string): string => `\`\`\`json\n${text}\n\`\`\``

testFaults([
  faultOf(
    'max_tokens ignored',
    'WIRE-7',
    'wire.every-bound',
    (entry) => asksFor(entry, 'max_tokens') || asksFor(entry, 'max_completion_tokens'),
    (entry) => editText(entry, (text) => text.padEnd(500, ' and on')),
  ),
  faultOf(
    'a bound ignored by its count',
    'WIRE-7',
    'wire.every-bound',
    (entry) => asksFor(entry, 'max_tokens'),
    (entry) =>
      editAnswer(entry, (body) => {
        const prompt = at(body, 'usage', 'prompt_tokens')
        return typeof prompt === 'number'
          ? { ...body, usage: { prompt_tokens: prompt, completion_tokens: 40, total_tokens: prompt + 40 } }
          : body
      }),
  ),
  faultOf(
    'the stop string returned',
    'WIRE-8',
    'wire.every-stop',
    (entry) => asksFor(entry, 'stop'),
    (entry) => editText(entry, (text) => `${text}four`),
  ),
  faultOf(
    'JSON in a fence',
    'WIRE-17',
    'wire.every-json-object',
    (entry) => isSuccess(entry) && formatIs(entry, 'json_object'),
    (entry) => editText(entry, fenced),
  ),
  faultOf(
    'strict JSON in a fence',
    'WIRE-18',
    'wire.every-json-schema',
    (entry) => isSuccess(entry) && formatIs(entry, 'json_schema'),
    (entry) => editText(entry, fenced),
  ),
  faultOf(
    'a missing required property',
    'WIRE-18',
    'wire.every-json-schema',
    (entry) => isSuccess(entry) && formatIs(entry, 'json_schema'),
    (entry) => editText(entry, (text) => JSON.stringify({ word: at(parseJson(text), 'word') })),
  ),
  faultOf(
    'rising top_logprobs',
    'WIRE-19',
    'wire.every-logprobs-falling',
    (entry) => asksFor(entry, 'top_logprobs'),
    (entry) =>
      editAnswer(entry, (body) => {
        for (const choice of listAt(body, 'choices'))
          for (const token of listAt(choice, 'logprobs', 'content'))
            if (isRecord(token)) {
              const unlikely = { token: '?', logprob: -9, bytes: [63] }
              Object.assign(token, { top_logprobs: [unlikely, ...listAt(token, 'top_logprobs')] })
            }
        return body
      }),
  ),
  faultOf(
    'all deltas with the index 0',
    'STREAM-8',
    'stream.every-choice',
    (entry) => asksFor(entry, 'n') && isStreamed(entry),
    (entry) =>
      editAnswer(entry, (body) => {
        for (const choice of listAt(body, 'choices')) Object.assign(Object(choice), { index: 0 })
        return body
      }),
  ),
  faultOf(
    'a 404 as an error record of a stream',
    'STREAM-10',
    'stream.every-refusal',
    (entry) => entry.response.status === 404 && isStreamed(entry),
    ({ response, ...entry }) => {
      const headers = [
        ...response.headers.filter(({ name }) => name !== 'content-type'),
        { name: 'content-type', value: 'text/event-stream' },
      ]
      return withAnswer(
        { ...entry, response: { ...response, headers } },
        `data: ${response.content.text}\n\n`,
        200,
      )
    },
  ),
  faultOf(
    'arguments that are not JSON',
    'TOOL-1',
    'tools.every-strict-arguments',
    (entry) => hasTools(entry) && isStrict(entry),
    (entry) => editArguments(entry, (text) => text.slice(0, -1)),
  ),
  faultOf(
    'loose arguments that are not JSON',
    'TOOL-1',
    'tools.every-loose-arguments',
    (entry) => hasTools(entry) && !isStrict(entry),
    (entry) => editArguments(entry, (text) => text.slice(0, -1)),
  ),
  faultOf(
    'a strict argument outside its enumeration',
    'TOOL-4',
    'tools.every-strict-schema',
    (entry) => hasTools(entry) && isStrict(entry),
    (entry) => editArguments(entry, (text) => JSON.stringify({ ...Object(parseJson(text)), size: 30 })),
  ),
  faultOf(
    'two calls in place of one',
    'TOOL-7',
    'tools.every-single',
    (entry) => hasTools(entry) && askedBy(entry)['parallel_tool_calls'] === false,
    (entry) =>
      editMembers(entry, 'tool_calls', (calls) =>
        [calls].flat().flatMap((call) => {
          const id = at(call, 'id')
          const second = typeof id === 'string' ? { id: `${id}-2` } : {}
          return [call, { ...Object(call), ...second, ...(isStreamed(entry) ? { index: 1 } : {}) }]
        }),
      ),
  ),
])
