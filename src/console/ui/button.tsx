import type { ComponentChildren, JSX } from 'preact'

interface ButtonProps extends Omit<JSX.IntrinsicElements['button'], 'label' | 'type'> {
  readonly label: ComponentChildren
}

/** A button that submits no form, with its words. */
export const Button = ({ label, ...attributes }: ButtonProps) => (
  <button type="button" {...attributes}>
    {label}
  </button>
)
