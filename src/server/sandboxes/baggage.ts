import { failure, type Result, success } from '../../base/core/result.ts'
import { cutText } from '../../base/core/text.ts'
import { isSandboxName, sandboxNameRule } from './sandboxes.ts'

/** The member of a `baggage` header that names the sandbox, and the prefix of the simulator's members. */
const sandboxMember = 'convsim.sandbox'
const prefix = 'convsim.'

/** The limits up to which W3C Baggage (3.3.2) obliges systems to pass a header on. A longer one is not read. */
const maxLength = 8192
const maxMembers = 64

const none = success(undefined)

/**
 * Returns the sandbox that a `baggage` header (W3C Baggage) names by its member `convsim.sandbox`, if any. The error
 * says why the header is ignored, as the message of an advice. Others' members are never judged.
 */
export function readSandboxOfBaggage(header: string | undefined): Result<string | undefined> {
  if (header === undefined || !header.includes(prefix)) return none // most requests
  if (header.length > maxLength)
    return failure(`is longer than ${maxLength} characters, the limit of W3C Baggage, and is ignored`)
  const members = header.split(',')
  if (members.length > maxMembers)
    return failure(`has more than ${maxMembers} members, the limit of W3C Baggage, and is ignored`)
  const own = members.map(parseMember).filter(({ key }) => key.startsWith(prefix))
  const unknown = own.find(({ key }) => key !== sandboxMember)
  if (unknown)
    return failure(`has the unknown member "${cutText(unknown.key)}" and is ignored; known: ${sandboxMember}`)
  const names = new Set(own.map(({ value }) => decodePercents(value)))
  if (names.size > 1) return failure(`names more than one sandbox and is ignored: ${cutText([...names].join(', '))}`)
  const [name] = names
  if (name === undefined || isSandboxName(name)) return success(name)
  return failure(
    `has the member ${sandboxMember}=${cutText(name)}, which names no sandbox, and is ignored; ` +
      `a name is ${sandboxNameRule}`,
  )
}

/** Parses a member without its properties: `key = value ; property ; property=value`, with optional white space. */
function parseMember(member: string): { readonly key: string; readonly value: string } {
  const [pair = ''] = member.split(';', 1)
  const [key = '', ...rest] = pair.split('=')
  return { key: key.trim(), value: rest.join('=').trim() }
}

/** Decodes a percent-encoded value; one that cannot be decoded stays as it is, and is no name. */
function decodePercents(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
