import { isObject, type Json } from '../core/json.ts'
import { parsePointer } from '../core/json-pointer.ts'
import { isAboutMember, type Observation } from './observation.ts'

/** A place of bodies, in a tree of all places that are counted. */
interface PlaceNode {
  readonly children: Map<string, PlaceNode>
  /** The number of bodies that have a value here, and of those that have an object. */
  values: number
  objects: number
  /** The index of the last body that was counted. */
  lastValue: number
  lastObject: number
}

/** Counts how many bodies could show a difference: those with its place, or with the object that lacks a member. */
export class PlaceCounter {
  readonly #root = createNode()
  #bodies = 0

  /** @param observations the differences that are to be counted */
  constructor(observations: readonly Observation[]) {
    for (const one of observations) this.#find(one, true)
  }

  /** Counts a body. Its values are visited once, however many places are counted. */
  add(body: Json): void {
    this.#bodies += 1
    visit(body, this.#root, this.#bodies)
  }

  /** Returns the number of counted bodies that could show a difference. */
  count(observation: Observation): number {
    const node = this.#find(observation, false)
    return isAboutMember(observation.kind) ? node.objects : node.values
  }

  #find({ kind, pointer }: Observation, isNew: boolean): PlaceNode {
    const tokens = parsePointer(pointer)
    let node = this.#root
    for (const token of isAboutMember(kind) ? tokens.slice(0, -1) : tokens) {
      const child: PlaceNode = node.children.get(token) ?? createNode()
      if (isNew) node.children.set(token, child)
      node = child
    }
    return node
  }
}

const createNode = (): PlaceNode => ({
  children: new Map(),
  values: 0,
  objects: 0,
  lastValue: 0,
  lastObject: 0,
})

function visit(value: Json, node: PlaceNode, body: number): void {
  if (node.lastValue !== body) node.values += 1
  node.lastValue = body
  if (Array.isArray(value)) visitItems(value, node.children.get('*'), body)
  if (!isObject(value)) return
  if (node.lastObject !== body) node.objects += 1
  node.lastObject = body
  for (const [name, child] of node.children)
    if (Object.hasOwn(value, name)) visit(value[name] ?? null, child, body)
}

function visitItems(list: readonly Json[], node: PlaceNode | undefined, body: number): void {
  if (node) for (const item of list) visit(item, node, body)
}
