import type { Schema } from '../../api/answers.ts'
import { catalogue } from '../../store/catalogue.ts'

/** A scenario of the catalogue, or a text of several of them that the user writes. */
export interface Offer extends Pick<Schema<'Entry'>, 'name' | 'family' | 'about' | 'parameters' | 'clientSees'> {
  /** The ids of the operations; undefined: all operations. */
  readonly operations?: readonly string[]
  /** The member of a rule that takes the text, where the user writes the whole text. */
  readonly freeText?: 'scenario' | 'sequence'
  readonly example: string
  /** The status of a refusal: `429`. */
  readonly status?: string | undefined
}

/** The texts that the user writes. */
export const freeTexts: readonly [sequence: Offer, combination: Offer] = [
  {
    name: 'sequence',
    family: 'several at once',
    about: 'Requests get its items one after another, for each operation; the last item is repeated.',
    freeText: 'sequence',
    example: '429*2, 200',
    parameters: [],
  },
  {
    name: 'combination',
    family: 'several at once',
    about: 'All of its scenarios act on the same answer.',
    freeText: 'scenario',
    example: 'slow;ms=200, 429',
    parameters: [],
  },
]

/** Lists the scenarios to switch on. The probability of a scenario is left out, since a rule has its own. */
export function listOffers(): readonly Offer[] {
  const offers = (catalogue.value?.scenarios ?? []).map((entry): Offer => {
    const [, status] = /^Answers (\d+)/.exec(entry.about) ?? []
    return { ...entry, status, parameters: entry.parameters.filter(({ name }) => name !== 'p') }
  })
  return [...freeTexts, ...offers]
}

/** Returns the name of an offer with its status: `rate-limited (429)`. */
export const titleOf = ({ name, status }: Offer) => (status === undefined ? name : `${name} (${status})`)

/** Returns true for the offer that a name means; a status means the refusal of that status. */
export const isCalled = (name: string | undefined, offer: Offer) =>
  name !== undefined && [offer.name, offer.status].includes(name)

/** Returns the ids of the operations that an offer makes sense for. */
export const operationsOf = ({ operations }: Offer): readonly string[] =>
  operations ?? (catalogue.value?.operations ?? []).map(({ id }) => id)
