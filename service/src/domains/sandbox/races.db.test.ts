import { testRaces } from './race-tests.ts'

testRaces(10)
