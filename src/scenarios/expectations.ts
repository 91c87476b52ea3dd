import type { Expectation } from '../exchange/expectation.ts'
import type { ScenarioDefinition } from './definition.ts'

/** Returns the expectations family: a rule of it marks the requests of negative tests that cannot send `X-Sim-Expect`. */
export function expectationScenarios(): ScenarioDefinition[] {
  return [
    createDefinition(
      'expect-violation',
      'violation',
      'The request is meant to break the contract: reports count it apart, and a request that does not is a finding.',
    ),
    createDefinition(
      'expect-refusal',
      'refusal',
      'The request is meant to be refused: reports count it apart, and an answer below 400 is a finding.',
    ),
  ]
}

function createDefinition(name: string, expectation: Expectation, description: string): ScenarioDefinition {
  return {
    name,
    family: 'expectations',
    description,
    parameters: [],
    inapplicableReason: () => undefined,
    effect: () => ({ kind: 'expect', expectation }),
  }
}
