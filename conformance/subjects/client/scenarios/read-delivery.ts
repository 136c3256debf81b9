// The good answer as HTTP may deliver it, plain and streamed: the parameters of its type, its framing, interim answers and
// content codings (READ-5, READ-13).
import { headerValues } from '../../../../harness/http/exchange.ts'
import { type Coding, codingsIn } from '../../../../harness/http/content-coding.ts'
import { answer } from '../../../../harness/scripted-service/scripted-answers.ts'
import {
  type Reply,
  type Step,
  encoded,
  inPieces,
  whole,
} from '../../../../harness/scripted-service/scripted-reply.ts'
import { NotApplicable } from '../../../contract/outcome.ts'
import { type Observed, type Scenario, scenario } from '../scenario.ts'
import { printedText } from '../verify/program-output.ts'
import { MANY_BYTES } from './read-streams.ts'
import { usualFor } from './usual-answers.ts'

/** The good answer, with a change of its delivery. */
const delivered =
  (change: (reply: Reply) => Partial<Reply>): Step =>
  (asked) => {
    const reply = answer(asked)
    return { ...reply, ...change(reply) }
  }

const bytesOf = ({ pieces }: Reply): Buffer => Buffer.concat(pieces.map(({ bytes }) => bytes))

/** A scenario that a program reads as the usual one of its kind. */
function reads(
  stream: boolean,
  name: string,
  title: string,
  step: Step,
  require: (observed: Observed) => void = () => {},
): Scenario {
  const usual = usualFor({ stream })
  const [kind, row] = stream ? (['framed', 'READ-5'] as const) : (['plain', 'READ-13'] as const)
  return scenario(`read.${kind}-${name}`, row, `a ${stream ? 'stream' : 'plain answer'} ${title}`)
    .with({
      name: `${kind}-${name}`,
      beside: [usual],
      requested: { stream },
      text: MANY_BYTES,
      script: [step],
    })
    .verify((observed, beside) => {
      require(observed)
      printedText(observed, beside(usual))
    })
}

/** Only a client that accepts a coding gets answers in it. */
function requireAccepts({ attempts }: Observed, coding: Coding): void {
  const accepted = attempts.flatMap(({ request }) => headerValues(request.headers, 'accept-encoding'))
  if (!codingsIn(accepted.join()).includes(coding))
    throw new NotApplicable(`the program does not accept ${coding}`)
}

const codings: readonly Coding[] = ['gzip', 'deflate', 'br', 'zstd']

const withCharset = delivered(({ headers }) => ({
  headers: { ...headers, 'content-type': `${headers['content-type']}; charset=utf-8` },
}))

const afterInterim = delivered(() => ({ interim: [102, 103] }))

/** Bytes in a piece, so that pieces end within characters, and the time between two pieces in milliseconds. */
const [SIZE, APART_MS] = [23, 8]

const plainOnly: readonly Scenario[] = [
  reads(
    false,
    'behind-empty-lines',
    'behind empty lines, as a service sends them that keeps a connection alive',
    delivered((reply) => ({ pieces: whole(Buffer.concat([Buffer.from('\n\n'), bytesOf(reply)])) })),
  ),
  reads(
    false,
    'chunked',
    'without a length, in chunks',
    delivered((reply) => ({ pieces: inPieces(bytesOf(reply), SIZE, APART_MS) })),
  ),
  reads(
    false,
    'in-pieces',
    'with a length, in pieces',
    delivered((reply) => {
      const bytes = bytesOf(reply)
      const headers = { ...reply.headers, 'content-length': String(bytes.length) }
      return { headers, pieces: inPieces(bytes, SIZE, APART_MS) }
    }),
  ),
]

/** Deliveries of both kinds. */
const both = (stream: boolean): readonly Scenario[] => {
  const inCodings = codings.map((coding) =>
    reads(stream, coding, `in ${coding}, which the program accepts`, encoded(answer, coding), (observed) =>
      requireAccepts(observed, coding),
    ),
  )
  return [
    reads(stream, 'charset', 'whose type has `charset=utf-8`', withCharset),
    reads(stream, 'after-interim', 'after the interim answers 102 and 103', afterInterim),
    ...inCodings,
  ]
}

export const scenarios: readonly Scenario[] = [...both(false), ...plainOnly, ...both(true)]
