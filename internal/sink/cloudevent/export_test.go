package cloudevent

// AppendData is appendData, for tests.
var AppendData = appendData
