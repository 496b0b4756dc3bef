// Package values has the values that an expression computes with: parts of an object that are not
// decoded ([Ref]), scalars that were read from them ([Value]), and what JSON does not have, such as
// quantities, versions and addresses ([Special]). The functions that read texts as such values are
// [Readers]. Nothing here counts steps: that is the evaluator's part.
package values
