// The JSON text of every request and answer that crosses: each member once (GATE-1 to GATE-3), and the integers of the format
// written as integers, which strict parsers demand (GATE-2, GATE-3, GATE-7). A parsed value shows neither.
import { readStream } from '../../../../harness/http/event-stream.ts'
import { requestJson, text, utf8 } from '../../../../harness/http/exchange.ts'
import { isWrittenAsInteger, repeatedMember, visitJson } from '../../../../harness/json-text.ts'
import { fail } from '../../../contract/outcome.ts'
import { showPath } from '../compare/json-difference.ts'
import { answerNames } from '../compare/known-members.ts'
import { type Crossing, type GatewayCheck, check } from '../crossing.ts'
import { bothAnswers } from '../crossing-sides.ts'

/** Where the format has integers: a path with `#` for each index. */
const INTEGERS =
  /^(?:created|choices\.#\.index|choices\.#\.delta\.tool_calls\.#\.index|choices\.#\.logprobs\..*\.bytes\.#)$/

const isCount = (path: string): boolean =>
  path.startsWith('usage.') && answerNames.has(path.split('.').at(-1) ?? '')

/** Fails if an integer of the format is written as a fraction or with an exponent; `wanted` selects its path. */
function integersIn(body: string, wanted: (path: string) => boolean, where: string): void {
  // Most texts have no such number, and need no second reading.
  if (!/\d(?:\.\d|[eE])/.test(body)) return
  visitJson(body, {
    number(source, path) {
      if (isWrittenAsInteger(source) || !Number.isInteger(Number(source))) return
      if (wanted(path.map((step) => (typeof step === 'number' ? '#' : step)).join('.')))
        fail(`${showPath([...path])} written as the integer ${Number(source)}`, `${source} ${where}`)
    },
  })
}

function membersOnce(body: string, where: string): void {
  const path = repeatedMember(body)
  if (path !== undefined) fail(`${showPath(path)} once`, `it comes twice ${where}`)
}

/** The JSON texts of the answer at the client: the plain one, or the data of each record. */
function textsOf(crossing: Crossing, isStreamed: boolean): readonly string[] {
  const { client, upstream } = bothAnswers(crossing) ?? {}
  if (client === undefined || upstream === undefined || (crossing.sent['stream'] === true) !== isStreamed)
    return []
  return isStreamed ? readStream(client).events.map(({ data }) => data) : [text(client) ?? '']
}

const requestText: GatewayCheck['verify'] = ({ calls }) => {
  const [call] = calls
  if (call === undefined || requestJson(call.request) === undefined) return
  membersOnce(utf8(call.request.body ?? new Uint8Array()) ?? '', 'at the upstream')
}

const answerText =
  (isStreamed: boolean): GatewayCheck['verify'] =>
  (crossing) => {
    for (const body of textsOf(crossing, isStreamed)) {
      membersOnce(body, 'at the client')
      integersIn(body, (path) => INTEGERS.test(path), 'at the client')
    }
  }

const usageText: GatewayCheck['verify'] = (crossing) => {
  for (const body of [...textsOf(crossing, false), ...textsOf(crossing, true)])
    integersIn(body, isCount, 'at the client')
}

/** The checks of every crossing. */
export const everywhere: readonly GatewayCheck[] = [
  check('gate.json-of-requests', 'GATE-1', 'each member of every request, once', requestText),
  check(
    'gate.json-of-answers',
    'GATE-2',
    'each member of every plain answer, once, and its integers',
    answerText(false),
  ),
  check(
    'gate.json-of-streams',
    'GATE-3',
    'each member of every chunk, once, and its integers',
    answerText(true),
  ),
  check('gate.json-of-usage', 'GATE-7', 'the counts of every usage, as integers', usageText),
]
