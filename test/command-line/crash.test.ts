import { expect, onTestFinished, test } from 'vitest'
import { createProcessTrial } from '../hostile/processes.ts'
import { Numbers } from '../hostile/trial.ts'
import { crashSeed, seededChance } from '../support/chance.ts'

/** The number of rounds; `npm run test:crash` sets it to 200. */
const rounds = Number(process.env['CRASH_ROUNDS'] ?? 2)

test(
  `no acknowledged write is lost if a server with 16 clients is killed (rounds: ${rounds}, seed: ${crashSeed})`,
  async () => {
    const numbers = new Numbers()
    const trial = createProcessTrial(seededChance(crashSeed), numbers)
    onTestFinished(() => trial.close())
    // Adds rounds until a write is acknowledged: on a busy machine, every kill may precede the first acknowledgment.
    for (let round = 0; round < rounds || numbers.get('acknowledged writes') === 0; round += 1) await trial.run('kill')
    expect(numbers.failures).toBe(0)
  },
  240_000 + rounds * 15_000,
)
