import type { AnswerOf, Schema } from '../../api/answers.ts'

/** A scenario of the catalogue, or a text of several of them that the user writes. */
export interface Offer extends Pick<Schema<'Entry'>, 'name' | 'family' | 'about' | 'parameters' | 'clientSees'> {
  /** The ids of the operations; undefined: all operations. */
  readonly operations?: readonly string[]
  /** The member of a rule that takes the text, where the user writes the whole text. */
  readonly freeText?: 'scenario' | 'sequence'
  readonly example: string
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

/** Returns the ids of the operations that an offer makes sense for. */
export function operationsOf(
  { operations }: Offer,
  catalogue: Pick<AnswerOf<'/catalogue', 'get'>, 'operations'>,
): readonly string[] {
  return operations ?? catalogue.operations.map(({ id }) => id)
}
