import { joinPointer, parsePointer } from '../core/json-pointer.ts'
import type { Source } from './source.ts'

/** The origin of a value: a pointer into the file that it was read from. */
interface Origin {
  readonly source: Source
  readonly pointer: string
}

/** The origins of the values of a document that overlays have changed: that set for the value, or one around it. */
export class PlaceTree {
  private origin: Origin
  private members = new Map<string, PlaceTree>()

  constructor(source: Source, pointer = '') {
    this.origin = { source, pointer }
  }

  /** Returns the place of a pointer: `spec/openapi.yaml:12:5`. */
  place(pointer: string): string {
    const { source, pointer: at } = this.find(parsePointer(pointer)).origin
    return source.place(at)
  }

  /** Sets the origin of the value at the tokens, and so of all values in it. */
  set(tokens: readonly string[], source: Source, pointer: string): void {
    const node = this.enter(tokens)
    node.origin = { source, pointer }
    node.members = new Map()
  }

  /** Removes an item of a list with `length` items: those behind it move forward with their origins. */
  removeItem(list: readonly string[], index: number, length: number): void {
    const node = this.enter(list)
    for (let at = index; at < length - 1; at += 1) node.members.set(String(at), node.child(String(at + 1)))
    node.members.delete(String(length - 1))
  }

  private find(tokens: readonly string[]): PlaceTree {
    return tokens.reduce<PlaceTree>((node, token) => node.child(token), this)
  }

  private enter(tokens: readonly string[]): PlaceTree {
    return tokens.reduce<PlaceTree>((node, token) => {
      const child = node.child(token)
      node.members.set(token, child)
      return child
    }, this)
  }

  private child(token: string): PlaceTree {
    const { source, pointer } = this.origin
    return this.members.get(token) ?? new PlaceTree(source, joinPointer(pointer, token))
  }
}
