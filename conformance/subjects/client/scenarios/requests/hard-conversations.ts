// Conversations with values that programs often change on their way back, thoughts under two names, and ids that come again
// (CALL-6).
import { answer } from '../../../../../harness/scripted-service/scripted-answers.ts'
import type { Asked } from '../../../../../harness/scripted-service/scripted-reply.ts'
import { everyHardText, hardObjectText } from '../../../../generate/hard-values.ts'
import { type ClientCheck, type Scenario, type Turn, check } from '../../scenario.ts'
import {
  type Received,
  secondAndThirdTurn,
  sendsBack,
  sendsBackCalls,
  sendsBackHistory,
  sendsBackOnce,
  sendsBackResults,
} from '../../verify/conversation-rules.ts'
import { CALLS, RESULTS, THOUGHTS, calling, conversation } from './conversations.ts'

/** Arguments that a program parses and writes again in another way. */
const HARD_CALLS: Received['calls'] = [
  {
    id: 'call_hard',
    type: 'function',
    function: { name: 'get_weather', arguments: `{"city":"Tromsø",${hardObjectText.slice(1)}` },
  },
]

const HARD_RESULTS: Turn = { get_weather: everyHardText }

const hardMessage = ({ text }: Pick<Asked, 'text'>): Received => ({
  content: text,
  members: { reasoning_content: everyHardText },
  calls: HARD_CALLS,
})

const hard = conversation('conversation-hard', {
  turns: [HARD_RESULTS],
  text: (words) => `${words}: ${everyHardText}.`,
  script: [calling(hardMessage), answer],
  checks: (id, how) => [
    check(id('call.back-hard-content'), 'CALL-6', `a text of any Unicode beside calls${how}`, (observed) =>
      sendsBack(observed, hardMessage(observed), 'content'),
    ),
    check(id('call.back-hard-reasoning'), 'CALL-6', `thoughts of any Unicode${how}`, (observed) =>
      sendsBack(observed, hardMessage(observed), 'reasoning_content'),
    ),
    check(
      id('call.back-hard-arguments'),
      'CALL-6',
      `arguments of any Unicode, with numbers of any length${how}`,
      (observed) => sendsBackCalls(observed, HARD_CALLS, ['function']),
    ),
    check(id('call.back-hard-results'), 'CALL-6', `results of any Unicode${how}`, (observed) =>
      sendsBackResults(observed, HARD_CALLS, HARD_RESULTS),
    ),
  ],
})

/** Some services send their thoughts under both names, so that each program finds them. */
const bothThoughts = ({ text }: Pick<Asked, 'text'>): Received => ({
  content: text,
  members: { reasoning_content: THOUGHTS, reasoning: THOUGHTS },
  calls: CALLS,
})

const thoughts = conversation('conversation-both-thoughts', {
  script: [calling(bothThoughts), answer],
  checks: (id, how) => [
    check(
      id('call.back-both-thoughts'),
      'CALL-6',
      `thoughts that came under two names go back as they came${how}`,
      (observed) => sendsBackOnce(observed, bothThoughts(observed)),
    ),
  ],
})

const [first = {}, second = {}] = CALLS

/** The calls of a second answer, whose functions and arguments are others than those of the first. */
const laterCalls = (ids: readonly unknown[]): Received['calls'] => [
  { ...first, id: ids[0], function: { name: 'get_time', arguments: '{"zone":"Asia/Tokyo"}' } },
  { ...second, id: ids[1], function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
]

const LATER_RESULTS: Turn = { get_weather: '7 °C', get_time: '20:05' }

/** A conversation whose first two answers have calls; those of the second have these ids. */
function twice(
  name: string,
  ids: readonly unknown[],
  checks: (later: Received['calls'], id: (name: string) => string, how: string) => readonly ClientCheck[],
): readonly Scenario[] {
  const later = laterCalls(ids)
  const message = (calls: Received['calls']) => calling(({ text }) => ({ content: text, members: {}, calls }))
  return conversation(name, {
    turns: [RESULTS, LATER_RESULTS],
    beside: [TWICE],
    script: [message(CALLS), message(later), answer],
    checks: (id, how) => checks(later, id, how),
  })
}

const TWICE = 'conversation-twice'

const usual = twice(TWICE, ['call_3', 'call_4'], (later, id, how) => [
  check(id('call.back-twice'), 'CALL-6', `two answers with calls${how}`, (observed) => {
    const turns = secondAndThirdTurn(observed)
    sendsBackHistory(turns, turns)
    sendsBackCalls(turns, later, ['id', 'function'])
    sendsBackResults(turns, later, LATER_RESULTS)
  }),
])

const again = twice('conversation-ids-again', [first['id'], second['id']], (later, id, how) => [
  check(
    id('call.back-ids-again'),
    'CALL-6',
    `calls of a second answer that have the ids of the first${how}`,
    (observed, beside) => {
      const turns = secondAndThirdTurn(observed, beside(observed.scenario.name.replace(/ids-again/, 'twice')))
      sendsBackHistory(turns, turns)
      sendsBackCalls(turns, later, ['id', 'function'])
      sendsBackResults(turns, later, LATER_RESULTS)
    },
  ),
])

export const scenarios: readonly Scenario[] = [...hard, ...thoughts, ...usual, ...again]
