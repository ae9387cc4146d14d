import { useTexts } from '../language/language.tsx'
import { componentTexts } from './texts.ts'

/** In place of one value that is on its way. */
export function Waiting() {
  const t = useTexts(componentTexts)
  return (
    <span data-waiting>
      <span aria-hidden>…</span>
      <span className="visually-hidden">{t.waiting}</span>
    </span>
  )
}
