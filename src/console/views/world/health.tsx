import { Mark } from '../../ui/status.tsx'
import { type Figures, recordOf, textOf } from './figures.ts'

const kinds: Readonly<Record<string, 'good' | 'advice' | 'violation'>> = {
  healthy: 'good',
  needs_attention: 'advice',
  critical: 'violation',
}

/** The assessment of a model in a sentence. */
export function Health({ body }: Pick<Figures, 'body'>) {
  const assessment = recordOf(body['recommendations'])
  if (!assessment) return <p class="health faint">There is no assessment: recommendations is null.</p>
  const level = textOf(assessment, 'healthLevel')
  return (
    <p class="health">
      <Mark kind={kinds[level] ?? 'advice'} text={level.replaceAll('_', ' ')} /> {textOf(assessment, 'summary')}
    </p>
  )
}
