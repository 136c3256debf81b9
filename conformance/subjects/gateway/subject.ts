// The gateway as a subject, and what other parts of the judge may use of it.
import { PROGRAM } from '../../../harness/program.ts'
import type { Subject } from '../../contract/subject.ts'
import { gatewayChecks, gatewayRows, selectChecks } from './catalogue.ts'
import { judgeGateway, judgeRecordedGateway } from './judge.ts'
import { judgeThrough } from './judge-through.ts'
import { startUpstream } from './scripted-upstream.ts'

export const gateway = {
  name: 'gateway',
  rows: (profile) => (profile === 'service' ? gatewayRows : []),
  checks: gatewayChecks,
  select: (options) => (options.profile === 'service' ? selectChecks(options).checks : []),
  noteOn: () => ' (of a gateway)',
  exampleOf: ({ id }) => ({
    title: '',
    lines: [`${PROGRAM} gateway --base-url http://127.0.0.1:4000 --only ${id}`],
  }),
  judge: judgeGateway,
  judgeAgain: judgeRecordedGateway,
  judgeThrough,
  startUpstream,
} satisfies Subject & Record<string, unknown>
