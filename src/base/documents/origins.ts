import { joinPointer } from '../core/json-pointer.ts'
import type { Source } from './source.ts'

export interface SourcePart {
  readonly source: Source
  readonly pointer: string
}

/** Maps the values of a document to the files that contain them: the document's file, or files that it refers to. */
export class Origins {
  readonly #main: Source
  readonly #set = new Map<string, SourcePart & { readonly turn: number }>()
  #turns = 0

  constructor(main: Source) {
    this.#main = main
  }

  set(pointer: string, origin: SourcePart): void {
    this.#turns += 1
    this.#set.set(pointer, { ...origin, turn: this.#turns })
  }

  /** Removes an item from a list with `length` items. The items after it move forward, with their origins. */
  removeItem(list: string, index: number, length: number): void {
    for (let at = index; at < length - 1; at += 1) this.set(joinPointer(list, at), this.find(joinPointer(list, at + 1)))
  }

  /** Finds the origin of a value: the last origin set for the value or for an enclosing value. */
  find(pointer: string): SourcePart {
    let last = { source: this.#main, pointer, turn: 0 }
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
      const set = this.#set.get(at)
      if (set && set.turn > last.turn) last = { ...set, pointer: set.pointer + pointer.slice(at.length) }
      if (at === '') return last
    }
  }

  readonly place = (pointer: string): string => {
    const origin = this.find(pointer)
    return origin.source.place(origin.pointer)
  }
}
