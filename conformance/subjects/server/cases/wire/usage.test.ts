// A count that is wrong in one kind of answer alone fails the check of that kind (WIRE-3).
import { testChecks } from '../scripted/test-faults.fixture.ts'
import { usageCases as cases } from './usage.ts'

testChecks(
  { cases },
  {
    'derived-completion-usage-total-tokens-off-by-one-cut': ['wire.usage-cut', 'wire.usage-choices'],
    'derived-chunk-usage-total-tokens-off-by-one-cut': [
      'wire.usage-cut-streamed',
      'wire.usage-choices-streamed',
    ],
    'wire-miscounts-several-choices': ['wire.usage-choices', 'wire.usage-choices-streamed'],
    'wire-counts-nothing': [
      'wire.usage-counts',
      'wire.usage-counts-streamed',
      'wire.usage-cut',
      'wire.usage-cut-streamed',
      'wire.usage-choices',
      'wire.usage-choices-streamed',
      'wire.usage-calls',
      'wire.usage-calls-streamed',
    ],
    'wire-counts-one-choice': ['wire.usage-choices', 'wire.usage-choices-streamed'],
    'wire-streams-without-a-count': [
      'wire.usage-counts-streamed',
      'wire.usage-cut-streamed',
      'wire.usage-choices-streamed',
    ],
    'odd-counts-its-template': [],
    // A usage may be null for WIRE-3.
    'derived-completion-usage-null-always': [],
    'derived-chunk-usage-null-always': [],
  },
)
