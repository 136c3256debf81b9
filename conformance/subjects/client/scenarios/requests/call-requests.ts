// The requests of a program (CALL-1 to CALL-4, CALL-7): addresses, models and texts that a client may change by mistake, redirects,
// and the rules for every request of every scenario.
import { answer } from '../../../../../harness/scripted-service/scripted-answers.ts'
import { everyHardText } from '../../../../generate/hard-values.ts'
import { type ClientCheck, type Scenario, type Requested, check, scenario } from '../../scenario.ts'
import { isAllowed } from '../../verify/allowed-request.ts'
import {
  asksAtAddress,
  carriesKey,
  keyNotElsewhere,
  keyNotInAddress,
  keyNotInBody,
  keyNotInHeaders,
  keyNotInOutput,
  namesModel,
  sendsMessages,
  sendsPrompt,
} from '../../verify/request-rules.ts'
import { PLAIN } from '../usual-answers.ts'

/** The checks that apply to every scenario of a run. */
export const everywhere: readonly ClientCheck[] = [
  check('call.authorization', 'CALL-1', 'every request carries the key in its header', carriesKey),
  check('call.key-in-address', 'CALL-2', 'no address has the key', keyNotInAddress),
  check('call.key-in-body', 'CALL-2', 'no body has the key', keyNotInBody),
  check('call.key-in-header', 'CALL-2', 'no other header has the key', keyNotInHeaders),
  check('call.key-in-output', 'CALL-2', 'the program does not print the key', keyNotInOutput),
  check(
    'call.request',
    'CALL-3',
    'every completion is requested by a POST of one JSON object to its address',
    asksAtAddress,
  ),
  check(
    'call.allowed-request',
    'CALL-7',
    'every request keeps the types, the ranges and the rules of the format',
    isAllowed,
  ),
]

function address(name: string, title: string, path: Requested['path'] & {}): Scenario {
  return scenario(`call.${name}`, 'CALL-3', title)
    .with({ requested: { path }, script: [answer] })
    .verify(asksAtAddress)
}

/** Texts that a client may change by mistake, by the name of their check. */
const TEXTS = {
  unicode: 'Zoë, 東京, עברית, e\u0301, 👩‍👩‍👧, 𝔘, \u2028, \uFEFF and \uFFFD',
  'line-ends': 'one\ntwo\r\nthree\rfour\n\n\tfive',
  quotes: `"double" 'single' \`back\` \\n \\ \\\\ {{ }} {model} %s $HOME <b>&amp;</b> -- #`,
  'white-space': '  between   spaces \n',
} as const

const sendsText = (name: string, title: string, prompt: string): Scenario =>
  scenario(`call.text-${name}`, 'CALL-4', `a text with ${title} is sent unchanged`)
    .with({ beside: [PLAIN], requested: { prompt }, script: [answer] })
    .verify((observed, beside) => sendsPrompt(observed, beside(PLAIN)))

const texts = [
  ...Object.entries(TEXTS).map(([name, prompt]) => sendsText(name, name.replace('-', ' '), prompt)),
  sendsText('hard', 'every character that programs often change', ` ${everyHardText}`),
]

const redirects = [301, 302, 307, 308].map((status) =>
  scenario(`call.redirect-${status}`, 'CALL-2', `a ${status} to another host does not send the key there`)
    .with({
      script: [
        ({ elsewhere }) => ({
          status,
          headers: { location: `${elsewhere}/v1/chat/completions` },
          pieces: [],
          end: 'complete',
        }),
      ],
    })
    .verify(keyNotElsewhere),
)

export const scenarios: readonly Scenario[] = [
  address('address-with-slash', 'a base address that ends in a slash', { after: '/' }),
  address('address-with-path', 'a base address with a path of its own', { before: '/team.a/~b/c%20d' }),
  ...texts,
  scenario('call.messages', 'CALL-4', 'a conversation of several roles is sent whole, in order')
    .with({
      requested: {
        history: [
          { role: 'system', content: 'Answer in one word. ' },
          { role: 'user', content: 'What is the capital of Norway?' },
          { role: 'assistant', content: 'Oslo' },
        ],
      },
      script: [answer],
    })
    .verify(sendsMessages),
  scenario('call.model', 'CALL-4', 'the request names the given model, whatever its id looks like')
    .with({
      name: 'model-id',
      beside: [PLAIN],
      requested: { model: 'Org/Team.Model-1:v2_Beta+x' },
      script: [answer],
    })
    .verify((observed, beside) => {
      namesModel(beside(PLAIN), observed)
      namesModel(observed, beside(PLAIN))
    }),
  ...redirects,
]
