import { changeScript, FIRST, offerScript, readScript } from './view.ts'

/**
 * Adds a version to a prompt, or a prompt with its first version. Own arguments: the caller's identifier, or empty; the
 * id of the first prompt from the same request, or empty; the number of the prompt's versions, or of earlier prompts
 * from the same request, that the first candidate is for; then for each candidate the id of the prompt, the prompt, the
 * id of the version, and the version.
 *
 * Returns `stored` with that number; or `conflict` with the number for which there is no candidate, and the prompt, or
 * empty.
 */
export const ADD_VERSION = offerScript(`
local external, first, guess = unpack(ARGV, ${FIRST}, ${FIRST + 2})
local prompts = tag .. 'prompts'
local known = external ~= '' and redis.call('HGET', prompts, 'external ' .. external)
local earlier
if external == '' then
  earlier = tonumber(redis.call('HGET', prompts, 'repeats ' .. first) or '0')
else
  earlier = known and tonumber(redis.call('HGET', prompts, 'versions ' .. known) or '0') or 0
end
local candidate = ${FIRST + 3} + 4 * (earlier - tonumber(guess))
if isStopped or earlier < tonumber(guess) or not ARGV[candidate] or (known and known ~= ARGV[candidate]) then
  return refuse(earlier, known and redis.call('HGET', prompts, 'prompt ' .. known) or '')
end
local id, prompt, versionId, version = unpack(ARGV, candidate, candidate + 3)
begin()
if redis.call('HEXISTS', prompts, 'prompt ' .. id) == 0 then
  local place = (write('HINCRBY', KEYS[1], 'count:prompts', 1) or 1) - 1
  write('HSET', prompts, 'prompt ' .. id, prompt, 'place ' .. place, id)
  if external ~= '' then write('HSET', prompts, 'external ' .. external, id) end
end
if external == '' then write('HINCRBY', prompts, 'repeats ' .. first, 1) end
local number = write('HINCRBY', prompts, 'versions ' .. id, 1) or 1
write('HSET', prompts, 'version ' .. id .. ' ' .. number, version, 'number ' .. id .. ' ' .. versionId, number)
write('HINCRBY', KEYS[1], 'revision', 1)
return {'stored', earlier}`)

/** Activates a version. Own arguments: the ids of prompt and version. Returns `activated` or `unknown`. */
export const ACTIVATE_VERSION = changeScript(`
local id, versionId = ARGV[${FIRST}], ARGV[${FIRST + 1}]
local number = redis.call('HGET', tag .. 'prompts', 'number ' .. id .. ' ' .. versionId)
if not number then return {'unknown'} end
write('HSET', tag .. 'prompts', 'active ' .. id, number)
write('HINCRBY', KEYS[1], 'revision', 1)
return {'activated'}`)

/**
 * Reads all that a sandbox has but events, with about as many bytes of prompts as wanted. Own arguments: the places of
 * the first prompt and of its first version, from 0; the bytes; the fields of plain records. Returns the open segment
 * and the revision, which together name the state that was read; the quality settings, or empty; the number of events
 * and the length of the open segment's log of replays; the places at which to go on, or two empty texts; the fields, or
 * empty; and then for each prompt that begins here `prompt`, the prompt and the number of its active version, or 0, and
 * for each version `version` and the version.
 */
export const READ_CONTENT = readScript(`
local from, version, left = tonumber(ARGV[${FIRST}]), tonumber(ARGV[${FIRST + 1}]), tonumber(ARGV[${FIRST + 2}])
local prompts = tag .. 'prompts'
local logged = #view > 0 and redis.call('LLEN', part('replay-log', openId())) or 0
local quality = redis.call('HGET', KEYS[1], 'quality') or ''
local reply = {openId(), count('revision'), quality, count('count:events'), logged, '', ''}
for index = ${FIRST + 3}, #ARGV do reply[#reply + 1] = redis.call('HGET', KEYS[1], ARGV[index]) or '' end
local function add(text)
  reply[#reply + 1] = text
  left = left - #text
end
for place = from, count('count:prompts') - 1 do
  local id = redis.call('HGET', prompts, 'place ' .. place) or ''
  if version == 0 then
    add('prompt')
    add(redis.call('HGET', prompts, 'prompt ' .. id) or '')
    add(redis.call('HGET', prompts, 'active ' .. id) or '0')
  end
  for number = version + 1, tonumber(redis.call('HGET', prompts, 'versions ' .. id) or '0') do
    if left <= 0 then
      reply[6], reply[7] = place, number - 1
      return reply
    end
    add('version')
    add(redis.call('HGET', prompts, 'version ' .. id .. ' ' .. number) or '')
  end
  version = 0
end
return reply`)
