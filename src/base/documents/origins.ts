import { joinPointer } from '../core/json-pointer.ts'
import type { Source } from './source.ts'

export interface SourcePart {
  readonly source: Source
  readonly pointer: string
}

/** Maps a document's values to the files they come from: the document's own file, referenced files, or an overlay. */
export class Origins {
  readonly #main: Source
  readonly #origins = new Map<string, SourcePart & { readonly order: number }>()
  #lastOrder = 0

  constructor(main: Source) {
    this.#main = main
  }

  set(pointer: string, origin: SourcePart): void {
    this.#lastOrder += 1
    this.#origins.set(pointer, { ...origin, order: this.#lastOrder })
  }

  /** Updates the origins when an item is removed from a list of `length` items: later items move down by one index. */
  removeItem(list: string, index: number, length: number): void {
    for (let at = index; at < length - 1; at += 1) this.set(joinPointer(list, at), this.find(joinPointer(list, at + 1)))
  }

  /** Finds a value's origin: the last one set for the value or an enclosing value, or else the document's own file. */
  find(pointer: string): SourcePart {
    let last = { source: this.#main, pointer, order: 0 }
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
      const found = this.#origins.get(at)
      if (found && found.order > last.order) last = { ...found, pointer: found.pointer + pointer.slice(at.length) }
      if (at === '') return last
    }
  }

  readonly locate = (pointer: string): string => {
    const origin = this.find(pointer)
    return origin.source.locate(origin.pointer)
  }
}
