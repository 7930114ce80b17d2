package turn

import "github.com/memls/memls/agentcli/model"

// An Outcome is how a turn ended.
type Outcome string

// How turns end. Only of the first is something kept, if there was a change.
const (
	Done        Outcome = "done"
	Refused     Outcome = "refused"     // by rules, hooks or a conflict, after all repairs
	Declined    Outcome = "declined"    // the model does not want to
	Limited     Outcome = "limit"       // of steps, of time, of the conversation's length, of patience
	Interrupted Outcome = "interrupted" // by the user
	Failed      Outcome = "failed"      // the model or the repository could not be reached
)

// A Result is what came of a turn.
type Result struct {
	Outcome Outcome
	Err     error  // why it is not Done
	Text    string // the last that the model said
	Model   string // as the provider names it
	Steps   int
	Usage   model.Usage
	Refusal *Refusal // the last one, where the outcome is Refused
}

// A Refusal is why the work of a turn is not accepted as it is.
type Refusal struct {
	// By is "rules", the name of a hook, or "conflict".
	By string
	// Tell is what the model is told.
	Tell string
	// Show is what people are shown, in lines.
	Show string
}

// An Event is something that happens in a turn: one of its fields is set, but
// for Call and Result, which come together.
type Event struct {
	Step    int          // the model is asked, for the n-th time
	Delta   *model.Event // it speaks
	Answer  *model.Response
	Call    *model.Call // was run
	Result  *model.Result
	Refusal *Refusal
	// Message is part of the conversation from now on.
	Message *model.Message
}
