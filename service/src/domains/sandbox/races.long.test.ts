import { testRaces } from './testing/funding-races.ts'

testRaces(600)
