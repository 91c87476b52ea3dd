import { isObject, type Json } from '../../../base/core/json.ts'
import { parsePointer } from '../../../base/core/json-pointer.ts'
import { isAboutMember, type Observation } from '../observe/observation.ts'

/** A place in the tree of all places that are counted, with the number of bodies that have a value, or an object. */
interface PlaceNode {
  readonly children: Map<string, PlaceNode>
  values: number
  objects: number
}

/** Counts how many bodies could show each difference: those with its place, or the object that lacks a member. */
export function countPlaces(
  observations: readonly Observation[],
  bodies: Iterable<Json>,
): (observation: Observation) => number {
  const root = createNode()
  const findNode = ({ kind, pointer }: Observation) => {
    const tokens = parsePointer(pointer)
    let node = root
    for (const token of isAboutMember(kind) ? tokens.slice(0, -1) : tokens) {
      const child: PlaceNode = node.children.get(token) ?? createNode()
      node.children.set(token, child)
      node = child
    }
    return node
  }
  for (const one of observations) findNode(one)
  for (const body of bodies) countValues(root, [body])
  return (one) => findNode(one)[isAboutMember(one.kind) ? 'objects' : 'values']
}

const createNode = (): PlaceNode => ({ children: new Map(), values: 0, objects: 0 })

/** Counts a body, of which `values` are all that have the place of the node. */
function countValues(node: PlaceNode, values: readonly Json[]): void {
  if (values.length === 0) return
  node.values += 1
  const objects = values.filter(isObject)
  if (objects.length > 0) node.objects += 1
  for (const [name, child] of node.children) {
    const items = name === '*' ? values.filter((value) => Array.isArray(value)).flat() : []
    const owners = objects.filter((object) => Object.hasOwn(object, name))
    countValues(child, [...items, ...owners.map((object) => object[name] ?? null)])
  }
}
