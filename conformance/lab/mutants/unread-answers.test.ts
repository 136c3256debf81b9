// No check passes on an answer that it could not read: each answer of the run of a check is replaced, one at a time, by a
// page, an empty object, nothing, and cut JSON.
import { expect, test } from 'vitest'
import type { Handler } from '../../../fixtures/faulty/behaviour.ts'
import { bodyOfCall, isApi, isChat } from '../../../fixtures/faulty/calls.ts'
import { withBody, withHeader } from '../../../fixtures/faulty/call-and-answer.ts'
import { asObject, parseJson } from '../../../fixtures/faulty/json-types.ts'
import { type Exchange, header } from '../../../harness/http/exchange.ts'
import { memoize } from '../../../harness/memoize.ts'
import { inTurns } from '../../../harness/waiting.ts'
import type { Case } from '../../subjects/server/case.ts'
import { judgeFault, outcomeOf, redRows } from '../../subjects/server/cases/scripted/judge-fault.fixture.ts'
import { fullCatalogue } from '../../subjects/server/catalogue.ts'
import { sampleOf } from './sample.ts'

const PAGE = '<!doctype html><title>Just a moment...</title>'

/** The content type and the body of a replacement, and its status if that is not the one of the answer. */
const REPLACEMENTS: Readonly<Record<string, readonly [type: string, body: string, status?: number]>> = {
  page: ['text/html', PAGE],
  'page with 200': ['text/html', PAGE, 200],
  'empty object': ['application/json', '{}'],
  nothing: ['application/json', ''],
  'cut JSON': ['application/json', '{"id":"x","object":"chat.completion","choices":[{"ind'],
}

/** The most answers of a check that are replaced, evenly among all that it gets. */
const MOST_ANSWERS = 2

const SEED = 20_261_126

/** The header with the place of an answer among those of a run. */
const PLACE = 'x-place'

const OPTIONS = { runs: 2, concurrency: 1, limit: { requests: 5, windowSeconds: 60 } }

/** Numbers all answers, and replaces the one at a place. */
function replacing(place: number, [type, body, status]: readonly [string, string, number?]): Handler {
  let answers = 0
  return async (call, forward) => {
    const answer = await forward(call)
    if (!isApi(call)) return answer
    const numbered = withHeader(answer, PLACE, String(answers))
    answers += 1
    if (answers - 1 !== place) return numbered
    return withBody(withHeader(numbered, 'content-type', type), body, status)
  }
}

/** Judges one check, with the status of each answer that it got itself, by its place; others are those of discovery. */
async function judge(definition: Case, handler: Handler) {
  const answers = new Map<number, number>()
  const onExchange = (exchange: Exchange, by: string | undefined): void => {
    const { method } = exchange.request
    if (by === definition.id && method !== 'HEAD' && method !== 'OPTIONS')
      answers.set(Number(header(exchange, PLACE)), exchange.response.status)
  }
  const [verdict] = await judgeFault(() => handler, [definition], { ...OPTIONS, onExchange })
  return { answers, verdict }
}

function spread<Item>(items: readonly Item[]): readonly Item[] {
  const step = Math.max(1, (items.length - 1) / (MOST_ANSWERS - 1))
  return [...new Set(items.map((_, at) => items[Math.round(at * step)]))].filter((item) => item !== undefined)
}

/** The replaced answers on which a check passes: each answer by each replacement, or each replacement for one of the answers. */
async function passesUnread(definition: Case, isEach: boolean): Promise<readonly string[]> {
  const { answers } = await judge(definition, replacing(-1, ['', '']))
  const places = spread([...answers])
  const tried = Object.entries(REPLACEMENTS).flatMap(([name, replacement], at) =>
    places
      .filter((_, place) => isEach || place === at % places.length)
      // A page that keeps a status of 200 is a page with 200.
      .filter(([, status]) => replacement[2] !== status)
      .map(([place]) => ({ place, name, replacement })),
  )
  const found: string[] = []
  for (const { place, name, replacement } of tried) {
    const { answers: seen, verdict } = await judge(definition, replacing(place, replacement))
    if (verdict?.outcome === 'pass' && seen.has(place))
      found.push(`${definition.id} passes on ${name} as answer ${place}`)
  }
  return found
}

/** The checks that may pass on an unread answer, by their section, with the reason. This list only shrinks. */
const MAY_PASS: Readonly<Record<string, string>> = {
  versioning: 'an answer of any other form shows that an address without `/v1` is not one of the service',
}

const { cases, observers } = fullCatalogue()
const sending = cases.filter(
  ({ id, sendsNothing = false }) => !sendsNothing && !Object.hasOwn(MAY_PASS, id.split('.')[0] ?? ''),
)

const findAll = async (some: readonly Case[], isEach: boolean) =>
  (await inTurns(some, 2, (definition) => passesUnread(definition, isEach))).flat()

test('no check of a sample passes on an answer that it could not read', { timeout: 120_000 }, async () => {
  expect(await findAll(sampleOf(sending, 12, SEED), true)).toEqual([])
})

test(
  'no check passes on an answer that it could not read',
  { tags: 'slow', timeout: 1_800_000 },
  async () => {
    expect(await findAll(sending, false)).toEqual([])
  },
)

test('the checks that may pass on an unread answer do', { tags: 'slow', timeout: 120_000 }, async () => {
  const excused = cases.filter((definition) => !sending.includes(definition) && !definition.sendsNothing)
  const found = await findAll(excused, true)
  for (const section of Object.keys(MAY_PASS))
    expect(found.filter((line) => line.startsWith(`${section}.`))).not.toEqual([])
})

/** Members of requests that are answered by a page, with checks that send them. */
const paged: Readonly<Record<string, string>> = {
  top_logprobs: 'wire.logprobs-top-2 wire.logprobs-falling',
  logprobs: 'wire.logprobs-of-each-choice',
  n: 'wire.n-not-ignored wire.text-of-each-choice',
  stop: 'wire.stop-not-returned wire.stop-not-ignored',
  seed: 'wire.same-seed',
  tools: 'tools.none wire.null-strict-in-tools',
  response_format: 'wire.null-strict-in-response-format',
  model: 'chat.huge-numbers sdk.create',
}

/** Judges by these checks with a page for each success of a request with this member. */
async function judgePaged(member: string, some: readonly Case[]) {
  const pages: Handler = async (call, forward) => {
    const answer = await forward(call)
    const isDue = isChat(call) && answer.status === 200 && Object.hasOwn(bodyOfCall(call) ?? {}, member)
    return isDue ? withBody(withHeader(answer, 'content-type', 'text/html'), PAGE) : answer
  }
  return judgeFault(() => pages, some, { ...OPTIONS, concurrency: 4, observers })
}

test.each(Object.entries(paged))('a page for each request with `%s` fails CHAT-1', async (member, checks) => {
  const ids = checks.split(' ')
  const verdicts = await judgePaged(
    member,
    cases.filter(({ id }) => ids.includes(id)),
  )
  expect(redRows(verdicts)).toEqual(['CHAT-1'])
  expect(ids.map((id) => [id, outcomeOf(verdicts, id)])).toEqual(ids.map((id) => [id, 'inconclusive']))
  const { reason } = verdicts.find(({ id }) => id === 'chat.every-content') ?? {}
  expect(reason).toContain(`status 200, text/html, ${PAGE.length} bytes: "<!doctype html>`)
})

/** The ids of the checks that send each member to a server that answers well. */
const senders = memoize(async (): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const ids = new Map(Object.keys(paged).map((member) => [member, new Set<string>()]))
  const onExchange = ({ request }: Exchange, by: string | undefined): void => {
    const body = asObject(parseJson(Buffer.from(request.body ?? []).toString()))
    for (const [member, own] of ids) if (by !== undefined && Object.hasOwn(body, member)) own.add(by)
  }
  await judgeFault(() => (call, forward) => forward(call), sending, {
    ...OPTIONS,
    concurrency: 4,
    onExchange,
  })
  return ids
})

test.each(Object.keys(paged))(
  'a page for each request with `%s` fails CHAT-1, and STREAM-1 if a stream is requested, and no other row',
  { tags: 'slow', timeout: 120_000 },
  async (member) => {
    const ids = (await senders()).get(member)
    expect(ids?.size).toBeGreaterThan(2)
    const some = sending.filter(({ id }) => ids?.has(id) === true)
    const red = redRows(await judgePaged(member, some))
    expect(red.filter((row) => row !== 'STREAM-1')).toEqual(['CHAT-1'])
  },
)
