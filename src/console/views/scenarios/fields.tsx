import type { VNode } from 'preact'
import { useId } from 'preact/hooks'
import type { Offer } from './offer.ts'

interface ControlProps {
  readonly value: string
  readonly set: (value: string) => void
}

interface FieldProps {
  readonly caption: string
  /** A sentence beside the control. */
  readonly about: string
  /** `ms` */
  readonly unit?: string | undefined
  /** The reason why the server has refused the value; undefined: it has not. */
  readonly problem: string | undefined
}

interface FrameProps extends FieldProps {
  /** Draws the control with the attributes that tie it to its label and its problem. */
  readonly children: (attributes: ControlAttributes) => VNode
}

interface ControlAttributes {
  readonly id: string
  readonly 'aria-invalid'?: true
  readonly 'aria-describedby'?: string
}

/** A row of a form: label, control, a sentence about it, and the reason of a refusal. */
function Field({ caption, about, unit, problem, children }: FrameProps) {
  const id = useId()
  const problemId = `${id}-problem`
  return (
    <div class="rule-field">
      <label for={id}>
        {caption}
        {unit !== undefined && <span class="faint"> ({unit})</span>}
      </label>
      {children({ id, ...(problem && { 'aria-invalid': true, 'aria-describedby': problemId }) })}
      <span class="faint">{about}</span>
      <Refusal id={problemId} text={problem} />
    </div>
  )
}

/** Properties of `Refusal`. */
export interface RefusalProps {
  /** Undefined: no control names the refusal. */
  readonly id?: string
  /** Undefined: there is none. */
  readonly text: string | undefined
}

/** The sentence of the server about a value that it has refused. */
export function Refusal({ id, text }: RefusalProps) {
  if (text === undefined) return null
  return (
    <p {...(id && { id })} class="refusal bad breaks" role="alert">
      {text}
    </p>
  )
}

/** Properties of `TextField`. */
export interface TextFieldProps extends FieldProps, ControlProps {
  /** Default: text. */
  readonly type?: 'number' | 'text'
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly isInteger?: boolean
  readonly required?: boolean
  readonly placeholder?: string
}

/** A field for a text or a number. */
export function TextField({
  caption,
  about,
  unit,
  problem,
  type = 'text',
  isInteger = true,
  ...props
}: TextFieldProps) {
  const { value, set, min, max, required = false, placeholder = '' } = props
  return (
    <Field {...{ caption, about, unit, problem }}>
      {(attributes) => (
        <input
          {...attributes}
          // A number has other attributes than a text for the types of Preact, not for browsers.
          type={type as 'number'}
          {...(min !== undefined && { min })}
          {...(max !== undefined && { max })}
          step={isInteger ? 1 : 'any'}
          required={required}
          placeholder={placeholder}
          autocomplete="off"
          spellcheck={false}
          value={value}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

/** Properties of `ChoiceField`. */
export interface ChoiceFieldProps extends FieldProps, ControlProps {
  /** Values and their words. */
  readonly options: readonly (readonly [string, string])[]
}

/** A field for one of several values. */
export function ChoiceField({ value, set, options, ...frame }: ChoiceFieldProps) {
  return (
    <Field {...frame}>
      {(attributes) => (
        <select {...attributes} value={value} onChange={(event) => set(event.currentTarget.value)}>
          {options.map(([one, word]) => (
            <option key={one} value={one} selected={one === value}>
              {word}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** Properties of `ParameterField`. */
export interface ParameterFieldProps extends ControlProps {
  readonly parameter: Offer['parameters'][number]
  readonly problem: string | undefined
}

/** A field for a parameter of a scenario. An empty field leaves the parameter out. */
export function ParameterField({ parameter, value, set, problem }: ParameterFieldProps) {
  const { name, type, default: standard, unit, about, of: choices } = parameter
  const shared = { caption: name, about, unit, set, problem }
  if (choices)
    return (
      <ChoiceField {...shared} value={value || String(standard)} options={choices.map((one) => [one, one] as const)} />
    )
  return (
    <TextField
      {...shared}
      value={value}
      type={type === 'integer' || type === 'number' ? 'number' : 'text'}
      isInteger={type === 'integer'}
      min={parameter.minimum}
      max={parameter.maximum}
      required={parameter.required}
      placeholder={String(standard ?? parameter.example ?? '')}
    />
  )
}
