import { Loading } from '../components/loading.tsx'
import { useTexts } from '../language/language.tsx'
import { shellTexts } from './texts.ts'

/** While the code of a page is on its way. */
export function LoadingPage() {
  return <Loading>{useTexts(shellTexts).loadingPage}</Loading>
}
