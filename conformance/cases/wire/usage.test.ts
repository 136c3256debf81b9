// A count that is wrong in one kind of answer alone fails the check of that kind (WIRE-3).
import { testChecks } from '../scripted/test-faults.fixture.ts'
import { usageCases as cases } from './usage.ts'

testChecks(
  { cases },
  {
    'derived-completion-usage-total-tokens-off-by-one-cut': ['wire.usage-cut'],
    'derived-chunk-usage-total-tokens-off-by-one-cut': ['wire.usage-cut-streamed'],
    'wire-miscounts-several-choices': ['wire.usage-choices', 'wire.usage-choices-streamed'],
    // A usage may be null for WIRE-3.
    'derived-completion-usage-null-always': [],
    'derived-chunk-usage-null-always': [],
  },
)
