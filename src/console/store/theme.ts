import { effect, signal } from '@preact/signals'

const themes = ['light dark', 'light', 'dark']

/** The `color-scheme` of the page; `light dark` follows the system. */
export const theme = signal(localStorage.getItem('convsim-theme') ?? 'light dark')

effect(() => {
  document.documentElement.style.colorScheme = theme.value
  localStorage.setItem('convsim-theme', theme.value)
})

export function changeTheme(): void {
  theme.value = themes[themes.indexOf(theme.value) + 1] ?? 'light dark'
}
