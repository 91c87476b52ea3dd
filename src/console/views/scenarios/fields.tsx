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
}

interface FrameProps extends FieldProps {
  /** Draws the control with the id that the label names. */
  readonly children: (id: string) => VNode
}

/** A row of a form: label, control, and a sentence about it. */
function Field({ caption, about, unit, children }: FrameProps) {
  const id = useId()
  return (
    <div class="rule-field">
      <label for={id}>
        {caption}
        {unit !== undefined && <span class="faint"> ({unit})</span>}
      </label>
      {children(id)}
      <span class="faint">{about}</span>
    </div>
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
  type = 'text',
  isInteger = true,
  ...props
}: TextFieldProps) {
  const { value, set, min, max, required = false, placeholder = '' } = props
  return (
    <Field {...{ caption, about, unit }}>
      {(id) => (
        <input
          id={id}
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
export function ChoiceField({ caption, about, value, set, options }: ChoiceFieldProps) {
  return (
    <Field caption={caption} about={about}>
      {(id) => (
        <select id={id} value={value} onChange={(event) => set(event.currentTarget.value)}>
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
}

/** A field for a parameter of a scenario. An empty field leaves the parameter out. */
export function ParameterField({ parameter, value, set }: ParameterFieldProps) {
  const { name, type, default: standard, unit, about, of: choices } = parameter
  const shared = { caption: name, about, unit, set }
  if (choices)
    return (
      <ChoiceField
        {...shared}
        value={value || String(standard)}
        options={choices.map((one) => [one, one] as const)}
      />
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
