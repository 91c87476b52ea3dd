import { isObject, type Json } from '../../core/json.ts'
import { parsePointer } from '../../core/json-pointer.ts'
import { isAboutMember, type Observation } from '../observe/observation.ts'

/** A place of bodies, in a tree of all places that are counted: how many bodies have a value, or an object, there. */
interface PlaceNode {
  readonly children: Map<string, PlaceNode>
  readonly values: BodyCount
  readonly objects: BodyCount
}

/** The number of bodies, and the number of the last body that was counted, which is counted once. */
interface BodyCount {
  bodies: number
  last: number
}

/** Counts how many bodies could show a difference: those with its place, or with the object that lacks a member. */
export class PlaceCounter {
  readonly #root = createNode()
  #bodies = 0

  /** @param observations the differences that are to be counted */
  constructor(observations: readonly Observation[]) {
    for (const one of observations) this.#countOf(one)
  }

  /** Counts a body. Its values are visited once, however many places are counted. */
  add(body: Json): void {
    this.#bodies += 1
    visitPlaces(body, this.#root, this.#bodies)
  }

  /** Returns the number of counted bodies that could show a difference. */
  count(observation: Observation): number {
    return this.#countOf(observation).bodies
  }

  #countOf({ kind, pointer }: Observation): BodyCount {
    const tokens = parsePointer(pointer)
    let node = this.#root
    for (const token of isAboutMember(kind) ? tokens.slice(0, -1) : tokens) {
      const child: PlaceNode = node.children.get(token) ?? createNode()
      node.children.set(token, child)
      node = child
    }
    return isAboutMember(kind) ? node.objects : node.values
  }
}

const createNode = (): PlaceNode => ({
  children: new Map(),
  values: { bodies: 0, last: 0 },
  objects: { bodies: 0, last: 0 },
})

function increase(count: BodyCount, body: number): void {
  if (count.last !== body) count.bodies += 1
  count.last = body
}

function visitPlaces(value: Json, node: PlaceNode, body: number): void {
  increase(node.values, body)
  const items = node.children.get('*')
  if (Array.isArray(value) && items) for (const item of value) visitPlaces(item, items, body)
  if (!isObject(value)) return
  increase(node.objects, body)
  for (const [name, child] of node.children)
    if (Object.hasOwn(value, name)) visitPlaces(value[name] ?? null, child, body)
}
