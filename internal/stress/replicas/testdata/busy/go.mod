module busy

go 1.26.0

require github.com/informerd/informerd/plugins/sdk/go v0.0.0

replace github.com/informerd/informerd/plugins/sdk/go => ../../../../../plugins/sdk/go
